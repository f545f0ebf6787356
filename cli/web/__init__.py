"""The explorer in the browser: a server with a JSON API, and a page that uses it."""
