// What is drawn upon a board's picture: where one can click, odds, and advice. No label of the picture is ever hidden.

const SVG = "http://www.w3.org/2000/svg";
const HIGH = 20; // of a badge

const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

// Where badges may not be: the texts of the picture, in the coordinates of the layer.
function labels(picture) {
  const plate = picture.getBoundingClientRect();
  return [...picture.querySelectorAll("text")].map((text) => {
    const box = text.getBoundingClientRect();
    return { left: box.left - plate.left, right: box.right - plate.left, top: box.top - plate.top, bottom: box.bottom - plate.top };
  });
}

// The place of a part by its word: where its marks go, how large it is, and how far above a badge leaves its text free.
export function centre(picture, word) {
  const part = picture.querySelector(`[data-word="${CSS.escape(word)}"]`);
  if (!part) return null;
  const box = part.getBoundingClientRect();
  const plate = picture.getBoundingClientRect();
  const anchor = part.querySelector("text");
  const inner = anchor ? anchor.getBoundingClientRect() : box;
  const size = Math.min(box.width, box.height) / 2;
  if (part.hasAttribute("data-at")) {
    const [x, y] = part.getAttribute("data-at").split(" ").map(Number);
    const at = new DOMPoint(x, y).matrixTransform(part.getScreenCTM());
    return { x: at.x - plate.left, y: at.y - plate.top, size };
  }
  return { x: inner.left + inner.width / 2 - plate.left, y: inner.top + inner.height / 2 - plate.top, size };
}

// `shown`: live, dots, open, chosen, tips and marks of the board.
export function draw(layer, picture, shown) {
  layer.replaceChildren();
  const taken = labels(picture);
  const plate = picture.getBoundingClientRect();
  const badges = []; // last, so that no ring lies upon them
  const put = (name, attributes, text) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    layer.appendChild(node);
  };
  // A badge at a place, or as near as it hides nothing.
  const badge = (x, y, text, kind) => badges.push({ x, y, text, kind });
  const settle = ({ x, y, text, kind }) => {
    const wide = 9 + 7.2 * text.length;
    const box = (dx, dy) => ({ left: x + dx - wide / 2, right: x + dx + wide / 2, top: y + dy - HIGH / 2, bottom: y + dy + HIGH / 2 });
    const inside = (b) => b.left >= -6 && b.right <= plate.width + 6 && b.top >= -6 && b.bottom <= plate.height + 6;
    let [best, at] = [null, [0, 0]];
    for (let ring = 0; ring < 7 && !best; ring++)
      for (const turn of [0, 180, 45, -45, 135, -135, 90, -90]) {
        const far = ring * 10;
        const angle = (turn * Math.PI) / 180;
        const [dx, dy] = [Math.sin(angle) * (far + (ring && wide / 2 - HIGH / 2)), -Math.cos(angle) * far];
        const wanted = box(dx, dy);
        if (inside(wanted) && taken.every((other) => apart(wanted, other))) {
          [best, at] = [wanted, [dx, dy]];
          break;
        }
      }
    taken.push(best || box(0, 0));
    put("rect", { x: x + at[0] - wide / 2, y: y + at[1] - HIGH / 2, width: wide, height: HIGH, rx: HIGH / 2, class: "badge " + kind });
    put("text", { x: x + at[0], y: y + at[1] + 4.5, class: "badge-text " + kind }, text);
  };
  const chosen = shown.chosen || [];
  if (shown.live && (shown.dots || chosen.length))
    for (const word of shown.open || []) {
      const at = centre(picture, word);
      if (!at) continue;
      const tip = (shown.tips || {})[word];
      if (tip && tip.length <= 6 && chosen.length) badge(at.x, at.y, tip, "tip");
      else put("circle", { cx: at.x, cy: at.y, r: Math.min(at.size, 16), class: "dot" });
    }
  const counted = {};
  const ringed = new Set();
  for (const mark of shown.marks || []) {
    const places = mark.pieces.map((word) => centre(picture, word)).filter(Boolean);
    if (!places.length) continue;
    const name = mark.kind || "policy";
    const kind = "mark " + name;
    const opacity = 0.35 + 0.65 * (mark.strength ?? 1);
    const end = places[places.length - 1];
    if (places.length > 1 && new Set(mark.pieces).size === mark.pieces.length) {
      put("polyline", { points: places.map((at) => at.x + "," + at.y).join(" "), class: kind, opacity });
      const [a, b] = places.slice(-2);
      const angle = Math.atan2(b.y - a.y, b.x - a.x);
      const tip = (turn) => b.x - 15 * Math.cos(angle + turn) + "," + (b.y - 15 * Math.sin(angle + turn));
      put("polygon", { points: `${b.x},${b.y} ${tip(0.45)} ${tip(-0.45)}`, class: kind + " head", opacity });
      if (mark.label) badge((a.x + b.x) / 2, (a.y + b.y) / 2, mark.label, name);
    } else if (places.length > 1) {
      mark.pieces.forEach((word, index) => (counted[word] = [...(counted[word] || []), index + 1]));
      for (const at of places) put("circle", { cx: at.x, cy: at.y, r: Math.min(at.size + 3, 40), class: kind, opacity });
    } else {
      const r = Math.min(Math.max(end.size, 12), 24);
      if (!ringed.has(mark.pieces[0])) put("circle", { cx: end.x, cy: end.y, r, class: kind, opacity });
      ringed.add(mark.pieces[0]);
      if (mark.label) badge(end.x, end.y, mark.label, name);
    }
  }
  for (const [word, numbers] of Object.entries(counted)) {
    const at = centre(picture, word);
    if (at) badge(at.x, at.y - at.size - 6, numbers.join(" "), "best");
  }
  for (const each of badges.sort((a, b) => (a.kind === "best" ? -1 : b.kind === "best" ? 1 : 0))) settle(each);
}
