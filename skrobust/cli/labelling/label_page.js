"use strict";
// The page shows what the server says, and sends one answer at a time with the turn that
// it has shown, so that a second tab or a key held down answers nothing twice.

const byId = (id) => document.getElementById(id);
let state = null;
let busy = false;
let loading = false; // the picture: nobody answers what is not yet shown

function show(element, visible) {
  element.hidden = !visible;
}

function setText(id, text) {
  show(byId(id), text !== "");
  byId(id).textContent = text;
}

async function send(action, given = {}) {
  if (busy || (state === null && action !== "state")) return;
  if (loading && action === "answer") return;
  busy = true;
  try {
    const body = JSON.stringify({ ...given, turn: state && state.turn });
    const headers = { "Content-Type": "application/json" };
    const request = action === "state" ? {} : { method: "POST", headers, body };
    const response = await fetch(action, request);
    if (!response.ok) throw new Error(await response.text());
    draw(await response.json());
  } catch (error) {
    const gone = error instanceof TypeError;
    const text = "The terminal has ended. Run the command again; every answer that was taken is saved.";
    setText("note", gone ? text : error.message);
  } finally {
    busy = false;
  }
}

function draw(next) {
  if (next.stopped) return drawStopped();
  const asked = state && state.question ? state.question.id : null;
  state = next;
  const question = state.question;
  setText("note", state.note);
  show(byId("question"), question !== null);
  show(byId("answers"), question !== null);
  show(byId("end"), question === null);
  show(byId("stop"), question !== null);
  const wanted = state.n_wanted;
  byId("place").textContent = question === null ? "Done" : placeText(question, wanted);
  document.title = `${byId("place").textContent} - skrobust label`;
  byId("count").textContent = state.counts;
  byId("progress").value = wanted ? Math.min(state.n_done / wanted, 1) : widthShare();
  byId("sentence").textContent = state.sentence;
  setText("width", widthText());
  if (question === null) {
    byId("finish").focus();
    return;
  }
  drawQuestion(question, question.id !== asked);
  drawAnswers(question);
  if (takesNumbers()) byId("typed").focus();
}

// Any number of a range is typed; grades, like labels, have buttons.
function takesNumbers() {
  return state.graded !== null && state.labels.length === 0;
}

function placeText(question, wanted) {
  return wanted && question.place <= wanted ? `Input ${question.place} of ${wanted}` : `Input ${question.place}`;
}

function widthShare() {
  return state.until ? Math.min(state.until / state.half_width, 1) ** 2 : 0;
}

function widthText() {
  const points = (width) =>
    state.graded ? `${Number(width.toPrecision(2))}` : `${Number((100 * width).toPrecision(2))} percentage points`;
  return state.until ? `Ends at +- ${points(state.until)}; now +- ${points(state.half_width)}.` : "";
}

function drawQuestion(question, isNew) {
  setText("item", question.item === String(question.id) ? `id ${question.id}` : question.item);
  show(byId("figure"), question.picture);
  loading = loading && question.picture;
  if (question.picture && isNew) {
    const picture = byId("picture");
    picture.className = "loading";
    loading = true;
    picture.alt = `Picture of input ${question.place}`;
    picture.src = `picture?id=${question.id}`;
  }
  const columns = question.columns;
  setText("text", columns.length === 1 ? columns[0][1] : "");
  show(byId("columns"), columns.length > 1);
  const cells = columns.flatMap(([name, value]) => [textElement("dt", name), textElement("dd", value)]);
  byId("columns").replaceChildren(...(columns.length > 1 ? cells : []));
  for (const name of ["predicted", "was"]) {
    show(byId(name), question[name] !== null);
    byId(name).querySelector("strong").textContent = question[name] === "" ? "(empty)" : question[name];
  }
}

function textElement(kind, text) {
  const element = document.createElement(kind);
  element.textContent = text;
  return element;
}

function drawAnswers(question) {
  const graded = state.graded;
  const takesLabels = state.labels.length > 0;
  const asks = takesLabels ? "What is the true label?" : "Is the prediction right?";
  byId("hint").textContent = graded ? `${graded.name}: ${graded.scale}` : asks;
  const labels = byId("labels");
  if (labels.children.length !== state.labels.length) {
    labels.replaceChildren(...state.labels.map(labelButton));
    byId("known").replaceChildren(...state.labels.map((one) => textElement("option", one.text)));
  }
  show(byId("other"), graded ? takesNumbers() : takesLabels);
  if (graded) document.querySelector("label[for=typed]").textContent = graded.name;
  byId("typed").inputMode = takesNumbers() ? "decimal" : "text";
  [...labels.children].forEach((button, at) => {
    button.classList.toggle("predicted", state.labels[at].text === question.predicted);
  });
  const hidden = graded || (takesLabels && question.predicted === null);
  for (const button of document.querySelectorAll("[data-verdict]")) {
    const verdict = button.dataset.verdict;
    button.setAttribute("aria-keyshortcuts", button.dataset.key);
    if (verdict === "skip") continue;
    show(button, !hidden);
    const word = verdict[0].toUpperCase() + verdict.slice(1);
    button.querySelector("span").textContent = takesLabels ? `The prediction is ${verdict}` : word;
  }
}

function labelButton(one, at) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.key = one.key;
  if (one.key) {
    button.append(textElement("kbd", one.key), " ");
    button.setAttribute("aria-keyshortcuts", one.key);
  }
  button.append(one.text === "" ? "(empty)" : one.text);
  button.addEventListener("click", () => send("answer", { label: at }));
  return button;
}

function drawStopped() {
  state = null;
  for (const id of ["question", "answers", "end", "steps", "width"]) show(byId(id), false);
  byId("place").textContent = "Stopped";
  setText("note", "Every answer is saved, and the terminal shows the result. You may close this page.");
}

byId("picture").addEventListener("load", (event) => {
  const picture = event.target;
  loading = false;
  picture.classList.remove("loading");
  picture.classList.toggle("tiny", Math.max(picture.naturalWidth, picture.naturalHeight) <= 128);
});
byId("picture").addEventListener("error", () => {
  loading = false;
  setText("note", "The picture cannot be shown.");
});
for (const button of document.querySelectorAll("[data-verdict]")) {
  button.addEventListener("click", () => send("answer", { verdict: button.dataset.verdict }));
}
byId("other").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = byId("typed").value;
  if (state === null) return;
  if (text === "" && takesNumbers() && state.question.was !== null) send("keep");
  if (text === "") return;
  const turn = state.turn;
  await send("answer", { text, sure: state.unsure === text });
  if (state && state.turn !== turn) {
    byId("typed").value = "";
    if (state.question === null || !takesNumbers()) byId("typed").blur();
  }
});
for (const id of ["undo", "keep", "stop"]) byId(id).addEventListener("click", () => send(id));
byId("finish").addEventListener("click", () => send("stop"));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || state === null) return;
  const target = event.target;
  if (target instanceof HTMLInputElement) {
    if (event.key === "Escape") target.blur();
    if (!takesNumbers() || !["s", "u", "q"].includes(event.key.toLowerCase())) return;
    event.preventDefault(); // no number has these letters
  }
  const key = event.key.toLowerCase();
  if (key === "enter" && !(target instanceof HTMLButtonElement) && state.question && state.question.was !== null) {
    event.preventDefault();
    send("keep");
  }
  const steps = { u: "undo", q: "stop" };
  if (steps[key]) return send(steps[key]);
  if (state.question === null || key.length !== 1) return;
  const button = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key && !one.hidden);
  if (button) button.click();
});

send("state");
