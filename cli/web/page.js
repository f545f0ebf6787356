// The page of `challenge explore`. The server knows the rules and the values (docs/explorer.md);
// what stands here shows them, and applies moves so that the board answers at once.

const $ = (id) => document.getElementById(id);
const RANKS = "AKQJT98765432", SUITS = "SHDC", SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
const LETTERS = { win: "W", loss: "L", draw: "D", undecided: "?" };
const VERBS = { win: "wins", loss: "loses", draw: "draws", undecided: "undecided" };
const PAUSE = 650; // milliseconds between two moves of programs, unless the address says otherwise
const AGAIN = 1000; // milliseconds until the server is asked again for what it does not have yet
const TIMES = 3; // a game is drawn when a position with an empty table comes up so often

let game = { start: "", deal: null, moves: [], positions: [], at: 0 };
let decks = {}; // by number of ranks
let running = false; // whether programs may move
let timer = 0, search = null, rankKey = "", ask = 0, pause = PAUSE;
const known = new Map(); // position -> its solution

// ---- the server

async function api(name, query, options = {}) {
  const answer = await fetch(`api/v1/${name}?${new URLSearchParams(query)}`, options);
  if (answer.ok) return answer;
  const body = await answer.text();
  let sentence = `The server has answered with status ${answer.status}.`;
  try { sentence = JSON.parse(body).error; } catch { /* no JSON: not from the program itself */ }
  throw Object.assign(new Error(sentence), { status: answer.status });
}

const json = async (name, query) => (await api(name, query)).json();

async function solve(position, anew = false) {
  if (!known.has(position) || anew) {
    const found = await json("solve", { position });
    if (known.size > 5000) known.clear();
    if (!known.has(position) || anew) known.set(position, found);
  }
  return known.get(position);
}

function complain(error) {
  const text = error ? String(error.message || error) : "";
  $("wrong").hidden = !text;
  $("wrong").textContent = text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

// ---- positions

function parse(text) {
  const [ranks, hand1, hand2, trumps, turn, top] = text.split(" ");
  const hands = [hand1, hand2].map((hand) => hand.split(".").flatMap((group, i) =>
    group === "-" ? [] : [...group].map((rank) => rank + SUITS[i])));
  const deck = [...SUITS].flatMap((suit) => [...RANKS.slice(0, ranks)].map((rank) => rank + suit));
  const held = new Set(hands.flat());
  const table = deck.filter((card) => !held.has(card));
  const winner = hands.findIndex((hand) => !hand.length) + 1;
  return { text, ranks: +ranks, hands, trumps, turn: +turn, top: top === "-" ? null : top, table, winner };
}

const write = ({ ranks, hands, trumps, turn, top }) => [ranks, ...hands.map((hand) =>
  [...SUITS].map((suit) => [...RANKS].filter((rank) => hand.includes(rank + suit)).join("") || "-").join(".")),
trumps, turn, top || "-"].join(" ");

function beats(card, top, trump) {
  if (card[1] === top[1]) return RANKS.indexOf(card[0]) < RANKS.indexOf(top[0]);
  return card[1] === trump;
}

function legal(position) {
  if (position.winner) return [];
  const hand = position.hands[position.turn - 1];
  if (!position.top) return hand;
  return [...hand.filter((card) => beats(card, position.top, position.trumps[position.turn - 1])), "pickup"];
}

function apply(position, move) {
  const hands = [...position.hands], mine = position.turn - 1;
  if (move === "pickup") {
    hands[mine] = [...hands[mine], ...position.table];
    return write({ ...position, hands, turn: 3 - position.turn, top: null });
  }
  hands[mine] = hands[mine].filter((card) => card !== move);
  const lead = !position.top;
  return write({ ...position, hands, turn: lead ? 3 - position.turn : position.turn, top: lead ? move : null });
}

const now = () => parse(game.positions[game.at]);
const isBase = (position) => !position.table.length;

/** How often the position now has come up with an empty table. */
function times() {
  const here = game.positions[game.at];
  if (!isBase(parse(here))) return 0;
  return game.positions.slice(0, game.at + 1).filter((text) => text === here).length;
}

// ---- words

const inWords = (card) => card === "pickup" ? "pick up"
  : `${RANK_NAMES[card[0]] || card[0].replace("T", "10")} of ${SUIT_NAMES[card[1]]}`;

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key.includes("-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

function cardFace(card) {
  if (card === "pickup") return element("span", { class: "name" }, "pick up");
  const red = "HD".includes(card[1]) ? " red" : "";
  return element("span", { class: "name" + red }, card[0] === "T" ? "10" : card[0],
    element("i", {}, SYMBOLS[card[1]]));
}

const tricks = (n) => n === null || n === undefined ? "" : n === 0 ? " at once" : ` in ${n} trick${n === 1 ? "" : "s"}`;

/** What comes of a move, as a chip and in words. */
function valueOf(move) {
  if (!move) return { kind: "undecided", text: "…", words: "" };
  if (move.outcome === "undecided") {
    if (move.estimate) {
      const share = Math.round(100 * (move.estimate.win + move.estimate.draw / 2));
      return { kind: "estimate", text: `~${share}%`, words: `not proved, estimated at ${share} percent` };
    }
    return { kind: "undecided", text: "?", words: "undecided" };
  }
  const { outcome, distance, progress } = move, step = progress >> 6; // the rest are cards of the leader
  const far = outcome === "draw" ? "" : progress ? ` ↓${step}` : distance === null ? "" : ` ${distance}`;
  const words = VERBS[outcome] + (progress ? `, ${step} steps of proof away` : tricks(distance));
  return { kind: outcome, text: LETTERS[outcome] + far, words };
}

function chip(move, best = false, more = "chip ") {
  const value = valueOf(move);
  return element("span", { class: `${more}value ${value.kind}` }, value.text + (best ? "★" : ""));
}

// ---- what is seen

function cardButton(card, position, found, playable) {
  const move = found?.moves.find((each) => each.move === card);
  const best = Boolean(found?.best.includes(card)) && found.outcome !== "undecided";
  const button = element("button", { class: "card" + (best ? " is-best" : ""), type: "button" }, cardFace(card));
  button.dataset.card = card;
  if (playable) {
    button.append(chip(move, false, ""));
    const words = move ? `, ${valueOf(move).words}${best ? ", a best move" : ""}` : "";
    button.setAttribute("aria-label", inWords(card) + words);
    button.title = inWords(card) + words;
    button.onclick = () => play(card);
  } else {
    button.disabled = true;
    button.setAttribute("aria-label", inWords(card));
  }
  return button;
}

function showHand(player, position, found) {
  const moves = new Set(legal(position)), mine = position.turn === player && !position.winner;
  const doing = !mine ? "" : position.top ? "to beat or to pick up" : position.table.length ? "has beaten and leads" : "leads";
  const trump = position.trumps[player - 1];
  const hand = position.hands[player - 1];
  const box = $(`hand${player}`);
  box.className = "hand" + (mine ? " turn" : "");
  box.setAttribute("aria-label", `Player ${player}, trumps ${SUIT_NAMES[trump]}${doing && ", " + doing}`);
  box.replaceChildren(element("h2", {}, `Player ${player}`, element("small", {}, [
    player === 1 && game.deal ? "dealer" : "", doing, `${hand.length} card${hand.length === 1 ? "" : "s"}`,
  ].filter(Boolean).join(" · "))));
  for (const suit of SUITS) {
    const row = element("div", { class: "suit" + (suit === trump ? " trumps" : ""), role: "group",
      "aria-label": SUIT_NAMES[suit] + (suit === trump ? ", trumps" : "") });
    row.append(element("b", { class: "HD".includes(suit) ? "red" : "", "aria-hidden": "true" }, SYMBOLS[suit],
      element("small", {}, suit === trump ? "trump" : "")));
    for (const rank of RANKS.slice(0, position.ranks)) {
      const card = rank + suit;
      row.append(hand.includes(card) ? cardButton(card, position, found, mine && moves.has(card))
        : element("span", { class: "slot", "aria-hidden": "true" }, "·"));
    }
    box.append(row);
  }
}

function showTable(position, found) {
  const box = $("table");
  box.replaceChildren();
  if (!position.table.length) box.append(element("p", { class: "note" }, "The table is empty."));
  const plain = (card, more) => element("span", { class: `card ${more}`, role: "img", "aria-label":
    (more ? "to beat: " : "") + inWords(card) }, cardFace(card));
  if (position.top) box.append(plain(position.top, "top"));
  const pile = pileInOrder(position);
  if (pile.length) {
    box.append(element("span", { class: "note" }, position.top ? "on" : "The pile:"),
      element("div", { class: "pile" }, ...pile.map((card) => plain(card, ""))));
  }
  if (position.top && !position.winner) {
    const move = found?.moves.find((each) => each.move === "pickup");
    const best = Boolean(found?.best.includes("pickup")) && found.outcome !== "undecided";
    const all = position.table.length;
    const text = all === 1 ? "Pick it up" : `Pick up ${all} cards`;
    box.append(element("button", { id: "pickup", type: "button", class: best ? "is-best" : "",
      title: "Pick up (p)", "aria-label": `${text}${move ? ", " + valueOf(move).words : ""}${best ? ", a best move" : ""}`,
      onclick: () => play("pickup") }, text, chip(move, best)));
    box.lastChild.dataset.card = "pickup";
  }
}

/** The pile from its top down, as far as the history tells; else in the order of the deck. */
function pileInOrder(position) {
  const played = game.moves.slice(0, game.at).filter((move) => move !== "pickup").reverse();
  const place = (card) => { const i = played.indexOf(card); return i < 0 ? 1e9 : i; };
  return position.table.filter((card) => card !== position.top).sort((a, b) => place(a) - place(b));
}

const unpacking = (found) => typeof found.unpacking === "number";

function showVerdict(position, found) {
  let text = "Looking it up …", more = "";
  if (position.winner) {
    text = `Player ${position.winner} has played his last card and wins.`;
  } else if (found) {
    if (found.outcome === "undecided") {
      text = "Undecided";
      more = "There is no table for this deck: a search may prove who wins.";
      if (found.estimate) {
        const { win, draw, loss } = found.estimate;
        const share = (x) => `${Math.round(100 * x)}%`;
        more = `Estimate, not a proof: player ${position.turn} wins ${share(win)}, draws ${share(draw)}, loses ${share(loss)}.`;
      }
    } else if (found.winner === null) {
      text = "A draw";
      more = "Neither player can force a win.";
    } else {
      text = `Player ${found.winner} wins${tricks(found.distance)}`;
      if (found.outcome === "win") {
        const winning = found.moves.filter((move) => move.outcome === "win").length;
        more = winning === found.moves.length ? "Every move wins." : `${winning} of ${found.moves.length} moves win${winning === 1 ? "s" : ""}.`;
        if (found.measure === "progress") more += " ★ makes most progress, ↓ falls on the way.";
        if (!found.measure && found.source === "table" && !unpacking(found)) more += " Which of them brings the end nearer is not known.";
      } else {
        more = found.measure ? "All moves lose; ★ resists longest." : "All moves lose.";
      }
    }
    if (unpacking(found)) more += ` Their progress is being unpacked, once: ${Math.floor(100 * found.unpacking)}%.`;
  }
  if (!position.winner && times() >= TIMES) {
    more = `This position has come up ${times()} times: at the table a draw. ${more}`;
  }
  $("verdict").textContent = text;
  $("detail").textContent = more;
}

let listed = []; // the moves in the list, with what stands for them
let inSight = null; // the one to which the list was scrolled

/** The list of moves. What has not changed stays as it is: a game may have thousands. */
function showMoves() {
  const list = $("moves");
  const other = listed.findIndex((old, i) => old.move !== game.moves[i] || old.position !== game.positions[i]);
  for (const { item, step } of listed.splice(other < 0 ? listed.length : other)) {
    step.remove();
    if (!item.querySelector(".step")) item.remove();
  }
  for (let i = listed.length; i < game.moves.length; i++) {
    const move = game.moves[i], position = game.positions[i], before = parse(position);
    let item = listed[i - 1]?.item;
    if (!item || isBase(before)) {
      item = element("li", {}, element("span", { class: "number" }, `${list.children.length + 1}`),
        element("span", { class: "moves-cell" }), element("span", { class: "moves-cell" }));
      list.append(item);
    }
    const step = element("button", { type: "button", "aria-label": `Move ${i + 1}: player ${before.turn}, ${inWords(move)}`,
      onclick: () => jump(i + 1) }, move === "pickup" ? "↑" : cardFace(move));
    item.children[before.turn].append(step);
    listed.push({ move, position, item, step });
  }
  listed.forEach(({ step }, i) => {
    const look = "step" + (i + 1 === game.at ? " now" : i >= game.at ? " later" : "");
    if (step.className === look) return;
    step.className = look;
    if (i + 1 === game.at) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  });
  const current = listed[game.at - 1]?.step;
  if (current && current !== inSight) {
    requestAnimationFrame(() => { list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2; });
  }
  inSight = current;
}

/** Show everything of the position now; values come when the server has answered. */
function show() {
  const position = now(), mine = ++ask;
  const focused = document.activeElement?.dataset?.card, inBoard = $("board").contains(document.activeElement);
  const found = known.get(position.text);
  document.documentElement.style.setProperty("--ranks", position.ranks);
  document.body.classList.toggle("wide", position.ranks > 8);
  document.body.classList.toggle("tight", position.ranks > 7);
  document.body.classList.toggle("measured", position.ranks < 9 && decks[position.ranks]?.measure === "progress");
  for (const player of [1, 2]) showHand(player, position, found);
  showTable(position, found);
  showVerdict(position, found);
  showMoves();
  $("text").value = position.text;
  $("first").disabled = $("back").disabled = game.at === 0;
  $("last").disabled = $("forward").disabled = game.at === game.moves.length;
  $("take-back").disabled = game.at === 0;
  $("best").disabled = !found?.best.length || found.outcome === "undecided";
  $("copy-record").disabled = !game.moves.length;
  $("search-panel").hidden = Boolean(decks[position.ranks]?.table) || Boolean(position.winner);
  $("search-why").textContent = "A search can prove who wins, but may take long.";
  if (inBoard && focused) {
    const again = document.querySelector(`#board button[data-card="${focused}"]:not(:disabled)`)
      || document.querySelector("#board button[data-card]:not(:disabled)") || $("board");
    again.focus();
  }
  showPrograms();
  if (search && search.position !== position.text) stopSearch();
  if (!found) {
    $("line").hidden || clearAnalysis();
    $("tree").hidden || clearAnalysis();
    if (position.winner) return schedule();
    look(position.text, mine);
  } else {
    if (!$("line").hidden) showLine();
    if (!$("tree").hidden) showTree();
    schedule();
    if (unpacking(found)) setTimeout(() => { if (mine === ask) look(position.text, mine, true); }, AGAIN);
  }
}

/** Ask for the values of what is shown, and show them if it still is. */
function look(position, mine, anew = false) {
  solve(position, anew).then(() => { if (mine === ask) show(); }, (error) => { if (mine === ask) complain(error); });
}

function clearAnalysis() {
  for (const id of ["line", "tree"]) $(id).replaceChildren("…");
}

function say(text) {
  $("said").textContent = text;
}

// ---- moves

function play(move) {
  const position = now();
  if (!legal(position).includes(move)) {
    say(`${inWords(move)} may not be played now`);
    return false;
  }
  if (game.moves[game.at] !== move) {
    game.moves = [...game.moves.slice(0, game.at), move];
    game.positions = [...game.positions.slice(0, game.at + 1), apply(position, move)];
  }
  game.at += 1;
  running = true;
  say(`Player ${position.turn}: ${inWords(move)}.`);
  moved();
  return true;
}

function moved() {
  complain("");
  remember(false);
  show();
}

function jump(at) {
  running = false;
  game.at = Math.max(0, Math.min(game.moves.length, at));
  moved();
}

function takeBack() {
  if (!game.at) return;
  running = false;
  game.at -= 1;
  game.moves = game.moves.slice(0, game.at);
  game.positions = game.positions.slice(0, game.at + 1);
  moved();
}

async function playBest() {
  const found = await solve(now().text);
  if (found.best.length && found.outcome !== "undecided") play(found.best[0]);
}

async function load(start, moves = "", at = null, ranks = null) {
  const query = { start, moves };
  if (ranks) query.ranks = ranks;
  const found = await json("game", query);
  stopSearch();
  clearTimeout(timer);
  running = false;
  const last = found.moves.length;
  game = { start: found.start, deal: found.deal, moves: found.moves, positions: found.positions,
    at: at === null || !(at >= 0 && at <= last) ? last : at };
  complain("");
  $("deck").value = now().ranks;
  $("problem").value = found.start;
  choosing = null;
  if (!$("chooser").hidden) showChooser();
  if (!$("map").hidden) showMap();
  show();
}

// ---- the address

function remember(anew) {
  const query = new URLSearchParams({ start: game.start });
  if (game.moves.length) query.set("moves", game.moves.join(","));
  if (game.at !== game.moves.length) query.set("at", game.at);
  for (const player of [1, 2]) if ($(`plays${player}`).value) query.set(`p${player}`, $(`plays${player}`).value);
  if (pause !== PAUSE) query.set("pause", pause);
  const address = "#" + query.toString().replaceAll("%2C", ",").replaceAll("%3D", "=");
  if (address !== location.hash) history[anew ? "pushState" : "replaceState"](null, "", address);
}

async function fromAddress() {
  const query = new URLSearchParams(location.hash.slice(1));
  for (const player of [1, 2]) {
    const name = query.get(`p${player}`) || "";
    $(`plays${player}`).value = [...$(`plays${player}`).options].some((option) => option.value === name) ? name : "";
  }
  const wanted = Number(query.get("pause") || PAUSE);
  pause = wanted >= 0 && wanted <= 60000 ? wanted : PAUSE;
  try {
    if (query.get("start")) {
      await load(query.get("start"), query.get("moves") || "", query.has("at") ? Number(query.get("at")) : null);
    } else {
      await drawDeal(query.get("ranks") || 6, "");
    }
  } catch (error) {
    complain(error);
    if (!game.positions.length) await load("6 KQJ.JT9").then(() => complain(error));
  }
}

async function open(start, ranks = null) {
  try {
    await load(start, "", null, ranks);
    remember(true);
  } catch (error) {
    complain(error);
  }
}

async function drawDeal(ranks, seed) {
  const query = { ranks };
  if (seed) query.seed = seed;
  try {
    const found = await json("deal", query);
    await open(found.deal);
    $("seed").placeholder = found.seed;
  } catch (error) {
    complain(error);
  }
}

// ---- programs that answer

function showPrograms() {
  const any = $("plays1").value || $("plays2").value;
  $("go").hidden = !any || Boolean(now().winner);
  $("go").textContent = running ? "Pause" : "Go on";
}

function schedule() {
  clearTimeout(timer);
  const position = now(), player = $(`plays${position.turn}`).value;
  if (!running || !player || position.winner || game.at !== game.moves.length || times() >= TIMES) return;
  timer = setTimeout(() => answer(player, position.text), pause);
}

async function answer(player, text) {
  const here = () => running && now().text === text && game.at === game.moves.length;
  if (!here()) return;
  try {
    const found = await json("move", { start: game.start, moves: game.moves.join(","), player });
    if (here()) play(found.move);
  } catch (error) {
    if (!here()) return;
    complain(error);
    if (error.status === 503) { // it cannot yet
      timer = setTimeout(() => answer(player, text), AGAIN);
      return;
    }
    running = false;
    showPrograms();
  }
}

function toggleRunning() {
  running = !running;
  if (running && game.at !== game.moves.length) game.at = game.moves.length;
  show();
}

// ---- searches

async function startSearch() {
  const position = now().text, seconds = Number($("seconds").value.replace(",", "."));
  const control = new AbortController();
  stopSearch();
  search = { position, control };
  const mine = search;
  $("search").hidden = true;
  $("stop").hidden = $("search-bar").hidden = false;
  $("search-bar").value = 0;
  $("search-state").textContent = "Beginning …";
  try {
    const answer = await api("search", { position, seconds }, { signal: control.signal });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const [, kind, data] = part.match(/^event: (\w+)\ndata: (.*)$/s);
        if (mine === search) heard(kind, JSON.parse(data), seconds, position);
      }
    }
  } catch (error) {
    if (error.name !== "AbortError") {
      complain(error);
      $("search-state").textContent = "";
    }
  }
  if (mine === search) endSearch();
}

function heard(kind, event, seconds, position) {
  const nodes = event.nodes.toLocaleString("en");
  const proved = kind === "progress" ? event.proved : Object.fromEntries(
    event.moves.filter((move) => move.outcome !== "undecided").map((move) => [move.move, move.outcome]));
  const settled = Object.keys(proved).length;
  $("search-bar").value = Math.min(1, event.seconds / seconds);
  const state = `${event.seconds.toFixed(1)} s · ${nodes} nodes · ${settled} move${settled === 1 ? "" : "s"} settled`;
  const old = known.get(position);
  if (kind === "progress") {
    search.last = state;
    $("search-state").textContent = `${state} · looking ${event.tricks} trick${event.tricks === 1 ? "" : "s"} ahead`;
    if (old) for (const move of old.moves) if (proved[move.move]) Object.assign(move, { outcome: proved[move.move], distance: null });
    return;
  }
  const reasons = { time: "the time was up", memory: "the memory was full", tricks: "it does not look further ahead" };
  const end = event.stopped ? `nothing proved, ${reasons[event.stopped] || "stopped"}` : "proved";
  $("search-state").textContent = `${state} · ${end}`;
  if (old && event.outcome === "undecided") event.estimate = old.estimate;
  for (const move of event.moves) move.estimate = old?.moves.find((each) => each.move === move.move)?.estimate;
  known.set(position, event);
  say(event.stopped ? "The search has ended without a proof." : "The search has proved who wins.");
}

function stopSearch() {
  if (!search) return;
  search.control.abort();
  const state = search.last || "";
  endSearch();
  $("search-state").textContent = `${state} · stopped`;
}

function endSearch() {
  const position = search.position;
  search = null;
  $("search").hidden = false;
  $("stop").hidden = $("search-bar").hidden = true;
  if (game.positions.length && now().text === position) show();
}

// ---- best line and tree

/** Play several moves from here. */
function follow(moves) {
  for (const move of moves) if (!play(move)) return;
  running = false;
  show();
}

async function showLine() {
  const position = now();
  const old = known.get(position.text);
  const box = $("line");
  if (position.winner) return box.replaceChildren("The game is over.");
  try {
    const found = old?.line === undefined && old?.source !== "search" ? await json("solve", { position: position.text, line: 1 }) : old;
    if (now().text !== position.text) return;
    if (old && found.line !== undefined) old.line = found.line;
    if (!found.line) {
      return box.replaceChildren(found.source === "search" ? "A search proves who wins, but knows no line."
        : unpacking(found) ? "The line comes when the progress of the deck is unpacked."
        : "Which move brings the end nearer is not known for this deck, so there is no line.");
    }
    const list = element("ol");
    let row = null;
    found.line.forEach((move, i) => {
      if (!row || found.line[i - 1] === "pickup") {
        row = element("li", {}, element("span", { class: "number" }, `${list.children.length + 1}`));
        list.append(row);
      }
      row.append(element("button", { type: "button", class: "step", "aria-label": `${inWords(move)}: go here`,
        onclick: () => follow(found.line.slice(0, i + 1)) }, move === "pickup" ? "↑" : cardFace(move)));
    });
    box.replaceChildren(list);
  } catch (error) {
    box.replaceChildren(String(error.message));
  }
}

async function showTree() {
  const position = now(), box = $("tree");
  if (position.winner) return box.replaceChildren("The game is over.");
  try {
    const found = await json("tree", { position: position.text });
    if (now().text !== position.text) return;
    const word = (reply, after) => reply.kind === "pickup" ? "" : reply.kind === "lead" ? "then "
      : reply.move[1] === after[1] ? "beaten by " : "trumped by ";
    const branch = (move) => {
      const head = [element("button", { type: "button", "aria-label": `play ${inWords(move.move)}`, onclick: () => play(move.move) },
        cardFace(move.move)), " ", chip(move, found.best.includes(move.move) && move.outcome !== "undecided")];
      if (!move.replies.length) return element("li", {}, ...head);
      const replies = move.replies.map((reply) => element("li", {}, word(reply, move.move),
        element("button", { type: "button", "aria-label": `play ${inWords(move.move)}, then ${inWords(reply.move)}`,
          onclick: () => follow([move.move, reply.move]) }, reply.kind === "pickup" ? "picked up" : cardFace(reply.move)),
        " ", chip(reply)));
      return element("li", {}, element("details", { open: found.best.includes(move.move) },
        element("summary", {}, ...head), element("ul", {}, ...replies)));
    };
    box.replaceChildren(element("ul", {}, ...found.moves.filter((move) => move.lowest).map(branch)));
  } catch (error) {
    box.replaceChildren(String(error.message));
  }
}

function toggle(button, id, fill) {
  $(id).hidden = !$(id).hidden;
  $(button).setAttribute("aria-expanded", String(!$(id).hidden));
  if (!$(id).hidden && fill) fill();
}

// ---- choosing the dealer's cards

let choosing = null; // two sets of ranks

function showChooser() {
  const ranks = Number($("deck").value), [trump, second] = ["S", "H"];
  if (!choosing) {
    const cards = game.deal && now().ranks === ranks ? game.deal.split(" ")[1].split(".") : ["", ""];
    choosing = cards.map((group) => new Set(group.replace("-", "")));
  }
  const rows = [trump, second].map((suit, i) => {
    const row = element("div", { class: "suit" + (i ? "" : " trumps"), role: "group", "aria-label": i ? "second suit" : "trumps" });
    row.append(element("b", { class: i ? "red" : "" }, SYMBOLS[suit], element("small", {}, i ? "second" : "trump")));
    for (const rank of RANKS.slice(0, ranks)) {
      row.append(element("button", { type: "button", class: "card", "aria-label": inWords(rank + suit),
        "aria-pressed": String(choosing[i].has(rank)), onclick: (event) => {
          if (!choosing[i].delete(rank)) choosing[i].add(rank);
          event.currentTarget.setAttribute("aria-pressed", String(choosing[i].has(rank)));
          showChosen(ranks);
        } }, cardFace(rank + suit)));
    }
    return row;
  });
  $("choices").replaceChildren(...rows);
  showChosen(ranks);
}

function showChosen(ranks) {
  const text = choosing.map((held) => [...RANKS].filter((rank) => held.has(rank)).join("") || "-").join(".");
  $("chosen").textContent = `${ranks} ${text}`;
}

// ---- the map

let map = null, cursor = [0, 0], marked = false, cell = 1;

async function showMap() {
  const ranks = Number($("deck").value);
  if (map?.ranks !== ranks) {
    map = null;
    $("map-title").textContent = `All deals of ${ranks} ranks`;
    $("map-text").textContent = "…";
    $("canvas").hidden = $("map-about").hidden = true;
    if (!decks[ranks].table) {
      $("map-text").textContent = `There is no map: nobody knows yet who wins each of the ${(4 ** ranks).toLocaleString("en")} deals. `
        + "Open one to see an estimate, or to search.";
      return;
    }
    try {
      const found = await json("map", { ranks });
      if (Number($("deck").value) !== ranks) return;
      map = found;
    } catch (error) {
      $("map-text").textContent = `No map: ${error.message}.`;
      return;
    }
  }
  const here = game.deal && now().ranks === ranks ? game.deal.split(" ")[1].split(".") : null;
  if (here) cursor = here.map((group) => map.holdings.indexOf(group));
  else if (Math.max(...cursor) >= map.holdings.length) cursor = [0, 0];
  marked = Boolean(here);
  $("canvas").hidden = $("map-about").hidden = false;
  drawMap();
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return { W: read("--map-win"), L: read("--map-loss"), D: read("--map-draw") };
}

function drawMap() {
  const size = map.holdings.length, canvas = $("canvas");
  cell = Math.max(1, Math.floor(560 / size));
  canvas.width = canvas.height = size * cell;
  const context = canvas.getContext("2d"), plain = colours();
  const longest = map.distances ? Math.max(...map.distances.flat()) : 0;
  const counts = { W: 0, L: 0, D: 0 };
  map.outcomes.forEach((row, y) => [...row].forEach((letter, x) => {
    counts[letter] += 1;
    context.fillStyle = plain[letter];
    context.fillRect(x * cell, (size - 1 - y) * cell, cell, cell);
    if (map.distances && letter !== "D" && longest) { // quick games dark, long ones pale
      const far = map.distances[y][x] / longest;
      context.fillStyle = far < 0.35 ? `rgba(0,0,0,${0.55 * (1 - far / 0.35)})` : `rgba(255,255,255,${0.85 * (far - 0.35) / 0.65})`;
      context.fillRect(x * cell, (size - 1 - y) * cell, cell, cell);
    }
  }));
  context.fillStyle = "#0006";
  map.holdings.forEach((held, i) => {
    const length = held === "-" ? 0 : held.length, before = i ? (map.holdings[i - 1] === "-" ? 0 : map.holdings[i - 1].length) : 0;
    if (length === before) return;
    context.fillRect(i * cell, 0, 1, size * cell);
    context.fillRect(0, (size - i) * cell, size * cell, 1);
  });
  const [y, x] = cursor;
  context.lineWidth = 3;
  for (const [colour, extra] of marked ? [["#fff", 4], ["#000", 1]] : []) {
    context.strokeStyle = colour;
    context.strokeRect(x * cell - extra, (size - 1 - y) * cell - extra, cell + 2 * extra, cell + 2 * extra);
  }
  const words = { W: "the dealer wins", L: "the dealer loses", D: "a draw" };
  const letter = map.outcomes[y][x], far = map.distances && letter !== "D" ? tricks(map.distances[y][x]) : "";
  $("map-text").textContent = marked ? `${dealAt(cursor)}: ${words[letter]}${far}.` : "";
  $("canvas").setAttribute("aria-label", `Map of ${(size * size).toLocaleString("en")} deals: the dealer wins ${counts.W.toLocaleString("en")}, ` +
    `loses ${counts.L.toLocaleString("en")}, draws ${counts.D.toLocaleString("en")}`);
}

const dealAt = ([y, x]) => `${map.ranks} ${map.holdings[y]}.${map.holdings[x]}`;

function cellOf(event) {
  const box = $("canvas").getBoundingClientRect(), size = map.holdings.length;
  const at = (share) => Math.max(0, Math.min(size - 1, Math.floor(share * size)));
  return [size - 1 - at((event.clientY - box.top) / box.height), at((event.clientX - box.left) / box.width)];
}

function mapKey(event) {
  if (!map) return;
  const step = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!step && event.key !== "Enter") return;
  event.preventDefault();
  event.stopPropagation();
  if (!step) return open(dealAt(cursor));
  const far = event.shiftKey ? 8 : 1, size = map.holdings.length;
  marked = true;
  cursor = cursor.map((value, i) => Math.max(0, Math.min(size - 1, value + far * step[i])));
  drawMap();
}

// ---- copying

async function copy(text, what) {
  $("text").value = text;
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    $("text").focus();
    $("text").select();
    say(`${what} selected, copy it with Control C.`);
  }
}

async function copyRecord() {
  try {
    const moves = game.moves.slice(0, game.at || undefined).join(",");
    const answer = await api("record", { start: game.start, moves });
    await copy(await answer.text(), "The record");
  } catch (error) {
    complain(error);
  }
}

// ---- keys

const COMMANDS = {
  p: () => play("pickup"), b: playBest, l: () => $("show-line").click(), w: () => $("show-tree").click(),
  g: () => $("go").hidden || toggleRunning(), n: () => drawDeal($("deck").value, ""), m: () => $("show-map").click(),
  "?": () => $("show-help").click(), ArrowLeft: () => jump(game.at - 1), ArrowRight: () => jump(game.at + 1),
  Home: () => jump(0), End: () => jump(game.moves.length), Backspace: takeBack,
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (rankKey && SUITS.toLowerCase().includes(key)) {
    event.preventDefault();
    play(rankKey + key.toUpperCase());
    rankKey = "";
  } else if ("akqjt98765".includes(key) || key === "1") {
    rankKey = key === "1" ? "T" : key.toUpperCase();
  } else if (COMMANDS[key]) {
    event.preventDefault();
    rankKey = "";
    COMMANDS[key]();
  } else if (key !== "0") {
    rankKey = "";
  }
}

// ---- the beginning

async function begin() {
  const about = await json("decks", {});
  decks = Object.fromEntries(about.decks.map((deck) => [deck.ranks, deck]));
  $("deck").replaceChildren(...about.decks.map((deck) => element("option", { value: deck.ranks },
    deck.name ? `${deck.ranks}, ${deck.name}` : `${deck.ranks}`)));
  for (const player of [1, 2]) {
    $(`plays${player}`).replaceChildren(element("option", { value: "" }, "you"),
      ...about.players.map((name) => element("option", { value: name }, name)));
    $(`plays${player}`).onchange = () => { running = true; remember(false); show(); };
  }
  $("deck").value = 6;
  $("open").onsubmit = (event) => { event.preventDefault(); open($("problem").value.trim()); };
  $("draw").onsubmit = (event) => { event.preventDefault(); drawDeal($("deck").value, $("seed").value.trim()); };
  $("deck").onchange = () => {
    choosing = null;
    if (!$("chooser").hidden) showChooser();
    if (!$("map").hidden) showMap();
  };
  $("choose").onclick = () => toggle("choose", "chooser", showChooser);
  $("open-chosen").onclick = () => open($("chosen").textContent);
  $("show-map").onclick = () => toggle("show-map", "map", showMap);
  $("show-help").onclick = () => toggle("show-help", "help");
  $("show-line").onclick = () => toggle("show-line", "line", showLine);
  $("show-tree").onclick = () => toggle("show-tree", "tree", showTree);
  $("first").onclick = () => jump(0);
  $("back").onclick = () => jump(game.at - 1);
  $("forward").onclick = () => jump(game.at + 1);
  $("last").onclick = () => jump(game.moves.length);
  $("take-back").onclick = takeBack;
  $("best").onclick = playBest;
  $("go").onclick = toggleRunning;
  $("search").onclick = startSearch;
  $("stop").onclick = stopSearch;
  $("copy-position").onclick = () => copy(now().text, "The position");
  $("copy-record").onclick = copyRecord;
  $("copy-link").onclick = () => copy(location.href, "The link");
  $("canvas").onclick = (event) => { if (map) { cursor = cellOf(event); open(dealAt(cursor)).then(() => $("board").scrollIntoView({ block: "nearest" })); } };
  $("canvas").onpointermove = (event) => {
    if (!map || event.pointerType === "touch") return;
    const [y, x] = cellOf(event), words = { W: "dealer wins", L: "dealer loses", D: "draw" };
    $("canvas").title = `${dealAt([y, x])}: ${words[map.outcomes[y][x]]}`;
  };
  $("canvas").onkeydown = mapKey;
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", fromAddress);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (map && !$("map").hidden) drawMap(); });
  await fromAddress();
  document.documentElement.dataset.ready = "yes";
}

begin().catch(complain);
