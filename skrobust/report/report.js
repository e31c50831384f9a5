(function () {
  "use strict";
  var collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function key(cell) {
    if (!cell) { return { empty: true }; }
    var data = cell.querySelector("data");
    if (data) { return { number: Number(data.value) }; }
    var marked = cell.querySelector("[data-sort]");
    if (marked) { return { number: Number(marked.dataset.sort) }; }
    if (cell.querySelector(".skip, .undefined")) { return { empty: true }; }
    var text = cell.textContent.trim();
    if (text === "") { return { empty: true }; }
    return /^[-+]?\d+(\.\d+)?$/.test(text) ? { number: Number(text) } : { text: text };
  }

  function compare(a, b) {
    if (a.number !== undefined && b.number !== undefined) { return a.number - b.number; }
    if (a.number !== undefined) { return -1; }
    if (b.number !== undefined) { return 1; }
    return collator.compare(a.text, b.text);
  }

  // Numbers first fall, words first rise; what is missing stays last both ways.
  function sort(table, column, heading) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row) {
      return { row: row, key: key(row.cells[column]) };
    });
    var now = heading.getAttribute("aria-sort");
    var numeric = rows.some(function (r) { return r.key.number !== undefined; });
    var next = now === "ascending" ? "descending"
      : now === "descending" ? "ascending" : numeric ? "descending" : "ascending";
    var sign = next === "ascending" ? 1 : -1;
    rows.sort(function (a, b) {
      if (a.key.empty || b.key.empty) { return Boolean(a.key.empty) - Boolean(b.key.empty); }
      return sign * compare(a.key, b.key);
    });
    rows.forEach(function (r) { body.appendChild(r.row); });
    Array.prototype.forEach.call(heading.parentNode.cells, function (other) {
      other.removeAttribute("aria-sort");
    });
    heading.setAttribute("aria-sort", next);
  }

  function prepare(table) {
    if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 2) { return; }
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (heading, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      while (heading.firstChild) { button.appendChild(heading.firstChild); }
      heading.appendChild(button);
      button.addEventListener("click", function () { sort(table, column, heading); });
    });
    table.classList.add("sortable");
  }

  function all(open) {
    document.querySelectorAll("details").forEach(function (d) { d.open = open; });
  }

  // A link to something inside a folded part opens it.
  function reveal() {
    var target;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); }
    catch (error) { return; }
    if (!target) { return; }
    for (var e = target; e; e = e.parentElement) {
      if (e.tagName === "DETAILS") { e.open = true; }
    }
    target.scrollIntoView();
  }

  // What is too wide scrolls; the keyboard must reach it, and it needs a name.
  function reach() {
    document.querySelectorAll(".scroll, .view").forEach(function (box) {
      if (box.scrollWidth <= box.clientWidth) {
        ["tabindex", "role", "aria-label"].forEach(function (n) { box.removeAttribute(n); });
        return;
      }
      var part = box.closest("section");
      var title = part && part.querySelector("h2");
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", (title ? title.textContent + ", " : "") +
        (box.querySelector("img") ? "wide picture" : "wide table"));
    });
  }

  document.querySelectorAll("table").forEach(prepare);
  reach();
  window.addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  var bar = document.getElementById("fold");
  if (bar) {
    [["Open all details", true], ["Close all", false]].forEach(function (pair) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = pair[0];
      button.addEventListener("click", function () { all(pair[1]); });
      bar.appendChild(button);
    });
  }
  var before = [];
  window.addEventListener("beforeprint", function () {
    before = Array.prototype.filter.call(
      document.querySelectorAll("details"), function (d) { return !d.open; });
    before.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () {
    before.forEach(function (d) { d.open = false; });
  });
  window.addEventListener("hashchange", reveal);
  if (location.hash) { reveal(); }
})();
