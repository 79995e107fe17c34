// Plays a recorded run. The state is one number, the position `at`: so many steps have been taken. Everything on the
// page follows from it and from what is selected, so that going back is as simple as going on.
"use strict";
(() => {
  const run = JSON.parse(document.getElementById("data").textContent);
  const { steps, messages, nodes } = run;
  const byId = (id) => document.getElementById(id);
  const reduced = window.matchMedia("(prefers-reduced-motion: reduce)");
  const messageOf = new Map(messages.map((message) => [message.m, message]));
  const placeOf = new Map(steps.map((step, place) => [step.step, place]));
  let at = 0; // so many of the steps shown have been taken
  let chosen = null; // the number of a message that was clicked on
  let timer = null;

  // ---- Building, once

  const svgNs = "http://www.w3.org/2000/svg";
  const svgElement = (name, attributes, parent) => {
    const element = document.createElementNS(svgNs, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (parent) parent.append(element);
    return element;
  };
  const element = (name, text, parent) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };

  // Nodes on a circle, clockwise from the top, as messages travel on a one-way ring.
  const radius = 150;
  const isCrowded = nodes.length > 32;
  const size = isCrowded ? Math.max(3, 300 / nodes.length) : Math.min(20, 220 / nodes.length + 6);
  const spot = new Map();
  nodes.forEach((node, place) => {
    const angle = (2 * Math.PI * place) / nodes.length - Math.PI / 2;
    spot.set(node.process, { x: 200 + radius * Math.cos(angle), y: 200 + radius * Math.sin(angle), angle });
  });
  const ring = byId("ring");
  for (const [from, to] of run.wires) {
    const [a, b] = [spot.get(from), spot.get(to)];
    if (a && b) svgElement("line", { class: "wire", x1: a.x, y1: a.y, x2: b.x, y2: b.y }, ring);
  }
  const nodeElements = new Map();
  for (const node of nodes) {
    const { x, y, angle } = spot.get(node.process);
    const group = svgElement("g", { class: "node" }, ring);
    const title = svgElement("title", {}, group);
    svgElement("circle", { cx: x, cy: y, r: size }, group);
    if (node.id !== null && size >= 9) svgElement("text", { class: "id", x, y }, group).textContent = String(node.id);
    const out = radius + size + 18;
    const sign = svgElement("text", { class: "who", x: 200 + out * Math.cos(angle), y: 200 + out * Math.sin(angle) }, group);
    nodeElements.set(node.process, { group, title, sign, node });
  }
  const sky = svgElement("g", {}, ring);
  const flying = new Map();

  const rows = steps.map((step, place) => {
    const row = document.createElement("tr");
    const first = element("td", undefined, row);
    const button = element("button", String(step.step + 1), first);
    button.type = "button";
    button.setAttribute("aria-label", `Go to step ${step.step + 1}`);
    for (const text of [step.time, step.input, step.rules, step.effects]) element("td", text, row);
    row.addEventListener("click", () => select(place));
    return row;
  });
  byId("rows").append(...rows);

  const diagram = byId("diagram");
  const marks = new Map();
  for (const mark of diagram.querySelectorAll("[data-step]")) {
    marks.set(Number(mark.dataset.step), mark);
    mark.addEventListener("click", () => select(placeOf.get(Number(mark.dataset.step))));
  }
  const lines = [...diagram.querySelectorAll("[data-message]")];
  for (const line of lines) line.addEventListener("click", () => choose(Number(line.dataset.message)));

  // ---- What follows from the position

  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const current = () => (at > 0 ? steps[at - 1] : null);

  /** Where each process stands now, in words, and what it received last. */
  function standings() {
    const known = new Map(nodes.map((node) => [node.process, { standing: run.open, last: null }]));
    for (const before of run.before) if (known.has(before[0])) known.get(before[0]).standing = before[1];
    for (const step of steps.slice(0, at)) {
      const state = known.get(step.process);
      if (!state) continue;
      state.standing = step.standing;
      if (step.arrives.length > 0 && step.local) state.last = step.arrives[step.arrives.length - 1];
    }
    return known;
  }

  const signs = { leads: "★", lost: "–", waiting: "…", inside: "■", down: "✕" };

  function drawRing() {
    const known = standings();
    const now = current();
    const waiting = new Map();
    const inTransit = messages.filter((message) => isInTransit(message));
    for (const message of inTransit) waiting.set(message.to, (waiting.get(message.to) || 0) + 1);
    for (const [process, { group, title, sign, node }] of nodeElements) {
      const { standing, last } = known.get(process);
      const moves = now && now.process === process && now.local ? " moves" : "";
      group.setAttribute("class", `node is-${standing}${moves}`);
      const badge = signs[standing] ? ` ${signs[standing]}` : "";
      sign.textContent = isCrowded ? badge : `p${process}${badge}`;
      const heard = last === null ? "" : `, last received ${messageOf.get(last).text}`;
      const coming = waiting.get(process) ? `, ${waiting.get(process)} on the way to it` : "";
      title.textContent = `${node.name}: ${standing}${heard}${coming}`;
    }
    fly(inTransit);
    const words = [...new Set([...known.values()].map((state) => state.standing))];
    const key = words.map((word) => `${signs[word] || "○"} ${word}`).join("   ");
    byId("key").textContent = `${key}   ● message on its way (${inTransit.length})`;
  }

  /** Whether a message is on its way after the step at which we stand. */
  function isInTransit(message) {
    const now = at > 0 ? steps[at - 1].step : run.from - 1;
    if (message.sent > now || message.end === "lost-at-once") return false;
    return message.ended === null || message.ended > now;
  }

  function fly(inTransit) {
    const now = at > 0 ? steps[at - 1].step : run.from - 1;
    const shown = inTransit.filter((message) => spot.has(message.from) && spot.has(message.to)).slice(0, 150);
    const wanted = new Set(shown.map((message) => message.m));
    for (const [m, dot] of flying) {
      if (!wanted.has(m)) {
        dot.remove();
        flying.delete(m);
      }
    }
    for (const message of shown) {
      const [a, b] = [spot.get(message.from), spot.get(message.to)];
      const end = message.ended === null ? run.to + 1 : message.ended;
      const share = clamp((now - message.sent + 1) / (end - message.sent + 1), 0.3, 0.7);
      // Messages that go opposite ways keep to their right.
      const long = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const [dx, dy] = [(-(b.y - a.y) / long) * 7, ((b.x - a.x) / long) * 7];
      let dot = flying.get(message.m);
      if (!dot) {
        dot = svgElement("g", { class: "flying" }, sky);
        svgElement("circle", { r: isCrowded ? 3 : 5.5, class: `f${message.kind % 7}` }, dot);
        svgElement("title", {}, dot).textContent = message.told;
        if (shown.length <= 16) {
          // On a ring this is the inner side: the outer one belongs to the names.
          const anchor = dx > 2 ? "start" : dx < -2 ? "end" : "middle";
          svgElement("text", { x: dx * 1.7, y: dy * 1.9, "text-anchor": anchor }, dot).textContent = message.text;
        }
        dot.addEventListener("click", () => choose(message.m));
        flying.set(message.m, dot);
      }
      const [x, y] = [a.x + (b.x - a.x) * share + dx, a.y + (b.y - a.y) * share + dy];
      dot.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  function pastOf(step) {
    const past = new Set([step.step]);
    for (let place = placeOf.get(step.step); place >= 0; place -= 1) {
      if (past.has(steps[place].step)) for (const cause of steps[place].causes) past.add(cause);
    }
    return past;
  }

  function drawDiagram() {
    const now = current();
    const past = byId("past").checked && now ? pastOf(now) : null;
    diagram.classList.toggle("show-past", past !== null);
    diagram.classList.toggle("show-critical", byId("critical").checked);
    const reached = now ? now.step : run.from - 1;
    for (const [step, mark] of marks) {
      mark.classList.toggle("future", step > reached);
      mark.classList.toggle("now", now !== null && step === now.step);
      mark.classList.toggle("beside", past !== null && !past.has(step));
    }
    for (const line of lines) {
      const message = messageOf.get(Number(line.dataset.message));
      line.classList.toggle("future", message.sent > reached);
      line.classList.toggle("chosen", message.m === chosen);
      line.classList.toggle("beside", past !== null && !(message.end === "arrived" && past.has(message.ended)));
    }
    rows.forEach((row, place) => {
      row.classList.toggle("outside", past !== null && !past.has(steps[place].step));
      if (place === at - 1) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
  }

  /** Scrolls a box, not the page, so far that this part of it can be seen. */
  function reveal(box, part) {
    if (!part) return;
    const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
    const margin = Math.min(90, outer.height / 4);
    if (inner.top < outer.top + margin) box.scrollTop -= outer.top + margin - inner.top;
    if (inner.bottom > outer.bottom - margin) box.scrollTop += inner.bottom - outer.bottom + margin;
    if (box !== diagram) return;
    if (inner.left < outer.left + margin) box.scrollLeft -= outer.left + margin - inner.left;
    if (inner.right > outer.right - margin) box.scrollLeft += inner.right - outer.right + margin;
  }

  function tell() {
    const box = byId("about");
    box.textContent = "";
    const list = element("dl", undefined, box);
    const say = (name, value) => {
      if (value === "" || value === null || value === undefined) return;
      element("dt", name, list);
      element("dd", String(value), list);
    };
    const message = chosen === null ? null : messageOf.get(chosen);
    const now = current();
    if (message) {
      say("Message", message.text);
      say("What became of it", message.told);
      for (const [name, value] of message.fields) say(name, value);
    } else if (now) {
      say("Step", `${now.step + 1} at ${now.time}`);
      say("What comes in", now.input);
      for (const rule of now.fired) say(`Rule ${rule}`, run.rules[rule] || "");
      if (Object.keys(run.rules).length === 0) say("Rules", now.rules);
      say("What it does", now.effects);
      now.sends.forEach((m) => say("Sent", messageOf.get(m) ? messageOf.get(m).told : `message ${m}`));
      say("Drawn", now.choices.join(", "));
      say("Stands after it", now.standing);
      say("Causal depth (longest chain of messages to it)", now.depth);
      say("Follows directly from", now.causes.map((cause) => `step ${cause + 1}`).join(", "));
    } else {
      element("p", "Before the first step. Press Space to play, or the right arrow for one step.", box);
    }
    byId("about-heading").textContent = message ? "This message" : "This step";
  }

  function show() {
    const now = current();
    drawRing();
    drawDiagram();
    tell();
    const slider = byId("slider");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", now ? `step ${now.step + 1}: ${now.input}` : "before the first step");
    byId("count").textContent = `${at} / ${steps.length}`;
    for (const id of ["first", "back"]) byId(id).disabled = at === 0;
    for (const id of ["next", "last"]) byId(id).disabled = at === steps.length;
    byId("said").textContent = now ? `Step ${now.step + 1}: ${[now.input, now.effects].filter((part) => part !== "").join("; ")}` : "Before the first step";
    reveal(diagram, now && marks.get(now.step));
    reveal(byId("list"), rows[at - 1]);
  }

  // ---- Moving

  function go(place) {
    at = clamp(place, 0, steps.length);
    chosen = null;
    if (at === steps.length) pause();
    show();
  }

  function select(place) {
    pause();
    byId("past").checked = true;
    go(place + 1);
  }

  function choose(m) {
    pause();
    chosen = m;
    show();
  }

  const perSecond = () => 2 ** Number(byId("speed").value);

  function tick() {
    go(at + 1);
    if (timer !== null) timer = window.setTimeout(tick, 1000 / perSecond());
  }

  function play() {
    if (at === steps.length) go(0);
    timer = window.setTimeout(tick, reduced.matches ? 1000 / perSecond() : 150);
    byId("play").textContent = "Pause";
    byId("play").setAttribute("aria-pressed", "true");
  }

  function pause() {
    if (timer !== null) window.clearTimeout(timer);
    timer = null;
    byId("play").textContent = "Play";
    byId("play").setAttribute("aria-pressed", "false");
  }

  const toggle = () => (timer === null ? play() : pause());

  function faster(by) {
    const speed = byId("speed");
    speed.value = String(clamp(Number(speed.value) + by, Number(speed.min), Number(speed.max)));
    showSpeed();
  }

  function showSpeed() {
    const rate = perSecond();
    byId("rate").textContent = `${rate < 1 ? rate.toFixed(2) : rate.toFixed(rate < 4 ? 1 : 0)} / s`;
  }

  const moves = {
    " ": toggle,
    ".": toggle,
    PageDown: toggle,
    ArrowRight: () => { pause(); go(at + 1); },
    ArrowLeft: () => { pause(); go(at - 1); },
    Home: () => { pause(); go(0); },
    End: () => { pause(); go(steps.length); },
    "[": () => faster(-0.5),
    "]": () => faster(0.5),
    p: () => { byId("critical").click(); },
    c: () => { byId("past").click(); },
    Escape: () => { chosen = null; byId("past").checked = false; show(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const on = event.target;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // What has the focus comes first: Space presses a button, arrows move a slider.
    if (on instanceof HTMLButtonElement && (key === " " || key === "Enter")) return;
    if (on instanceof HTMLInputElement && (key === " " || key.startsWith("Arrow") || key === "Home" || key === "End")) return;
    const move = moves[key];
    if (move) {
      event.preventDefault();
      move();
    }
  });
  byId("first").addEventListener("click", moves.Home);
  byId("back").addEventListener("click", moves.ArrowLeft);
  byId("play").addEventListener("click", toggle);
  byId("next").addEventListener("click", moves.ArrowRight);
  byId("last").addEventListener("click", moves.End);
  byId("slider").addEventListener("input", (event) => { pause(); go(Number(event.target.value)); });
  byId("speed").addEventListener("input", showSpeed);
  for (const id of ["past", "critical"]) byId(id).addEventListener("change", show);

  byId("slider").max = String(steps.length);
  showSpeed();
  show();
})();
