// The board: a game's picture that can be clicked, whose parts glide to their new places, and that can be drawn upon.

import { draw } from "turnsmith-marks";

const SVG = "http://www.w3.org/2000/svg";

// A part is the same part in the next picture if it has the same data-key, else the same word, else the same place
// among its like.
const nameOf = (node) => node.getAttribute("data-key") || node.getAttribute("data-word");

function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "#text";
  const named = nameOf(node);
  return node.tagName + (named ? ":" + named : "");
}

// What the board itself gives to parts that can be clicked. To take it away and give it back would lose the focus.
const SPOKEN = ["tabindex", "role", "aria-label"];

const allowed = (name) => !name.startsWith("on") && !(name === "href" || name.endsWith(":href"));

// A new part with data-from="dx dy" comes in from there, faster and faster.
function fall(node, from) {
  const [dx, dy] = from.split(" ").map(Number);
  const start = { transform: `translate(${dx}px, ${dy}px)`, opacity: 1 };
  node.animate([start, { transform: "none", opacity: 1 }], { duration: 420, easing: "cubic-bezier(0.5, 0, 0.9, 0.6)" });
}

// Make `target` look like `source`, keeping the nodes that stay so that style sheets can let them glide.
function morph(target, source, moving) {
  for (const { name } of [...target.attributes])
    if (!source.hasAttribute(name) && !SPOKEN.includes(name)) target.removeAttribute(name);
  for (const { name, value } of [...source.attributes])
    if (allowed(name) && target.getAttribute(name) !== value) target.setAttribute(name, value);
  const kept = new Map();
  for (const child of [...target.childNodes]) {
    const key = keyOf(child);
    if (!kept.has(key)) kept.set(key, []);
    kept.get(key).push(child);
  }
  const pairs = [];
  for (const wanted of source.childNodes) {
    if (wanted.nodeType === Node.ELEMENT_NODE && ["script", "foreignObject"].includes(wanted.tagName)) continue;
    pairs.push([wanted, (kept.get(keyOf(wanted)) || []).shift()]);
  }
  for (const left of kept.values()) for (const child of left) child.remove(); // first: a node put elsewhere stops gliding
  let place = target.firstChild;
  for (let [wanted, child] of pairs) {
    if (!child) {
      child = wanted.nodeType === Node.ELEMENT_NODE ? document.createElementNS(SVG, wanted.tagName) : document.createTextNode("");
      if (child.classList) child.classList.add("arrives");
      if (moving && wanted.dataset && wanted.dataset.from) fall(child, wanted.dataset.from);
    }
    if (child === place) place = place.nextSibling;
    else target.insertBefore(child, place);
    if (wanted.nodeType === Node.ELEMENT_NODE) morph(child, wanted, moving);
    else if (child.data !== wanted.data) child.data = wanted.data;
  }
}

export default {
  template: `
    <div class="board" :class="{live}">
      <div class="board-plate">
        <svg ref="picture" class="board-picture" role="group" tabindex="-1" :aria-label="label"></svg>
        <svg ref="overlay" class="board-overlay" aria-hidden="true"></svg>
        <svg ref="marks" class="board-marks" aria-hidden="true"></svg>
        <div ref="tip" class="board-tip" v-show="tip">{{ tip }}</div>
      </div>
      <div class="board-buttons" v-if="buttons.length">
        <button v-for="word in buttons" type="button" @click="$emit('piece', word)">{{ named(word) }}</button>
      </div>
    </div>`,
  props: {
    svg: String,
    label: String,
    live: Boolean,
    open: Array, // words that can come next
    chosen: Array, // words chosen so far
    dots: Boolean, // show where one can click
    tips: Object, // word -> tip
    names: Object, // word -> what people read for it, where that is something else
    draft: String, // parts of SVG for what is chosen so far
    overlays: Object, // word -> parts of SVG shown upon the picture while it is pointed at
    marks: Array, // {pieces: [words], label, strength 0..1, kind}
    ahead: Boolean, // what is clicked while others move is for the next turn
    arrows: Boolean, // arrow keys are for the game, not for scrolling
  },
  data: () => ({ hovered: "", about: "", shown: "", touched: "", held: "", buttons: [] }),
  computed: {
    tip() {
      return [this.about, this.live && (this.tips || {})[this.hovered]].filter(Boolean).join("\n");
    },
  },
  mounted() {
    const picture = this.$refs.picture;
    picture.addEventListener("click", (event) => {
      if (event.pointerType !== "touch" || !this.explains(event)) this.pick(event.target);
    });
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        this.pick(event.target);
        event.preventDefault();
      }
    });
    picture.addEventListener("pointermove", (event) => this.hover(event));
    picture.addEventListener("pointerleave", () => this.point(null));
    picture.addEventListener("focusin", (event) => {
      const box = event.target.getBoundingClientRect();
      if (event.target.matches(":focus-visible")) this.point(event.target, box.right, box.bottom);
    });
    picture.addEventListener("focusout", () => this.point(null));
    this.stay = (event) => {
      const typing = event.target.closest && event.target.closest("input, textarea, .q-field, .q-menu");
      if (this.arrows && this.live && event.key.startsWith("Arrow") && !typing) event.preventDefault();
    };
    window.addEventListener("keydown", this.stay);
    // A button pressed with the mouse would keep the keys that are meant for the game.
    this.release = (event) => {
      if (event.detail && event.target.closest("button, .q-toggle")) setTimeout(() => document.activeElement.blur());
    };
    window.addEventListener("click", this.release, true); // before the button hears of it: some tell nobody else
    this.observer = new ResizeObserver(() => {
      this.draw();
      this.enlarge();
    });
    this.observer.observe(picture);
    this.show();
  },
  unmounted() {
    this.observer.disconnect();
    window.removeEventListener("keydown", this.stay);
    window.removeEventListener("click", this.release, true);
  },
  updated() {
    this.show();
  },
  methods: {
    show() {
      const active = document.activeElement;
      const focused = this.$refs.picture.contains(active); // who moves by keys stays where they were
      if (focused && nameOf(active)) this.held = nameOf(active);
      if (this.svg !== this.shown) {
        const wanted = new DOMParser().parseFromString(this.svg || `<svg xmlns="${SVG}"/>`, "image/svg+xml").documentElement;
        const first = !this.shown;
        wanted.setAttribute("class", "board-picture" + (first ? " first" : ""));
        wanted.setAttribute("role", "group");
        wanted.setAttribute("tabindex", "-1");
        wanted.setAttribute("aria-label", this.label || "");
        morph(this.$refs.picture, wanted, !first && !matchMedia("(prefers-reduced-motion: reduce)").matches);
        this.shown = this.svg;
        this.point(null); // what the pointer rests on may be another thing now
      }
      for (const part of this.$refs.picture.querySelectorAll("[data-word], [data-key]")) {
        const word = part.getAttribute("data-word");
        const open = this.live && (this.open || []).includes(word);
        part.classList.toggle("open", open);
        part.classList.toggle("shut", this.live && !open && word !== null);
        part.classList.toggle("chosen", this.live && (this.chosen || []).includes(word));
        if (open) {
          part.setAttribute("tabindex", "0");
          part.setAttribute("role", "button");
          const written = [...part.querySelectorAll("text")].map((each) => each.textContent.trim());
          const name = this.named(word);
          const said = [name, ...written, (this.tips || {})[word]].filter((each, at) => each && (each !== name || !at));
          part.setAttribute("aria-label", said.join(", "));
        } else {
          for (const name of SPOKEN) part.removeAttribute(name);
          if (focused && nameOf(part) === this.held) part.setAttribute("tabindex", "-1");
        }
      }
      const wanted = focused && (this.holder(this.held) || this.$refs.picture);
      if (wanted && wanted !== document.activeElement) wanted.focus({ preventScroll: true });
      this.enlarge();
      this.trace();
      this.$nextTick(() => this.draw());
    },
    // A part with its word written on it is a button. Where the picture is too small for fingers, it stands below once more.
    enlarge() {
      const written = [...this.parts()].filter((part) => part.matches(".open") && part.textContent.trim() === this.named(part.dataset.word));
      const small = written.some((part) => part.getBoundingClientRect().height < 40);
      const words = small && innerWidth < 600 ? written.map((part) => part.dataset.word) : [];
      if (words.join() !== this.buttons.join()) this.buttons = words;
    },
    named(word) {
      return (this.names || {})[word] || word;
    },
    parts() {
      return this.$refs.picture.querySelectorAll("[data-word]");
    },
    holder(name) {
      const named = this.$refs.picture.querySelectorAll("[data-word], [data-key]");
      return [...named].find((part) => nameOf(part) === name && part.hasAttribute("tabindex"));
    },
    pick(target) {
      const part = target.closest && target.closest(this.live ? "[data-word]" : "[data-word], [data-key]");
      if (part && (this.live || this.ahead)) this.$emit("piece", this.live ? part.dataset.word : nameOf(part));
    },
    // A finger cannot hover: where a move has something drawn upon the picture, the first touch shows it and the second
    // makes the move.
    explains(event) {
      const part = event.target.closest("[data-word]");
      const word = part ? part.getAttribute("data-word") : "";
      const first = this.live && (this.overlays || {})[word] !== undefined && this.touched !== word;
      this.hover(event);
      this.touched = word;
      return first;
    },
    hover(event) {
      this.point(event.target.closest("[data-word], [data-tip]"), event.clientX, event.clientY);
    },
    // Show what there is to say of a part, beside the place of the pointer and within the board.
    point(part, x, y) {
      const before = this.hovered;
      this.hovered = (part && part.getAttribute("data-word")) || "";
      this.about = (part && part.getAttribute("data-tip")) || "";
      if (!part) this.touched = "";
      if (this.hovered !== before) this.trace();
      if (!this.tip) return;
      this.$nextTick(() => {
        const tip = this.$refs.tip;
        const plate = this.$el.getBoundingClientRect();
        const [across, down] = [x - plate.left, y - plate.top];
        const [wide, tall] = [tip.offsetWidth, tip.offsetHeight];
        const right = across + 14 + wide <= plate.width - 4 ? across + 14 : across - 14 - wide;
        const below = down + 14 + tall <= plate.height ? down + 14 : down - 14 - tall;
        const far = down < plate.height / 2 ? plate.height - tall - 4 : 4; // where there is no room beside the pointer
        tip.style.left = Math.max(4, right) + "px";
        tip.style.top = Math.max(4, right < 4 ? far : below) + "px";
      });
    },
    // What the game draws upon its picture for the move in the making and the one that is pointed at.
    trace() {
      const parts = ((this.live && this.draft) || "") + ((this.live && (this.overlays || {})[this.hovered]) || "");
      const wanted = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${parts}</svg>`, "image/svg+xml").documentElement;
      wanted.setAttribute("class", "board-overlay");
      wanted.setAttribute("aria-hidden", "true");
      wanted.setAttribute("viewBox", this.$refs.picture.getAttribute("viewBox") || "0 0 1 1");
      morph(this.$refs.overlay, wanted, false);
    },
    draw() {
      if (this.$refs.marks) draw(this.$refs.marks, this.$refs.picture, this);
    },
  },
};
