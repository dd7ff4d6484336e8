// Cells of a map to be painted: a stroke locks them, or frees them if it begins on a locked one.

const MOVES = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export default {
  template: `
    <div class="paint board-plate" tabindex="0" role="application" :aria-label="label">
      <div ref="picture" class="paint-picture"></div>
    </div>`,
  props: {
    svg: String, // parts with data-cell="column,row" can be painted
    locked: Array, // their names
    label: String,
  },
  data: () => ({ shown: "", stroke: null, locking: true, cursor: "" }),
  mounted() {
    const root = this.$el;
    root.addEventListener("pointerdown", (event) => {
      const cell = this.at(event);
      if (!cell) return;
      event.preventDefault();
      root.focus();
      root.setPointerCapture(event.pointerId);
      this.locking = !this.locked.includes(cell);
      this.stroke = new Set();
      this.touch(cell);
    });
    root.addEventListener("pointermove", (event) => this.stroke && this.touch(this.at(event)));
    root.addEventListener("pointerup", () => this.end());
    root.addEventListener("pointercancel", () => this.end());
    root.addEventListener("keydown", (event) => {
      if (MOVES[event.key]) this.move(...MOVES[event.key]);
      else if (event.key === " " && this.cursor) {
        this.locking = !this.locked.includes(this.cursor);
        this.stroke = new Set([this.cursor]);
        this.end();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.show();
  },
  updated() {
    this.show();
  },
  methods: {
    at(event) {
      const found = document.elementFromPoint(event.clientX, event.clientY);
      const part = found && found.closest("[data-cell]");
      return part && this.$el.contains(part) ? part.dataset.cell : "";
    },
    touch(cell) {
      if (!cell || this.stroke.has(cell)) return;
      this.stroke.add(cell);
      this.mark();
    },
    end() {
      if (!this.stroke) return;
      const cells = [...this.stroke];
      this.$emit("painted", { cells, locking: this.locking });
      const kept = this.locked.filter((cell) => !this.stroke.has(cell));
      this.stroke = null;
      this.mark(this.locking ? [...kept, ...cells] : kept); // until the answer comes
    },
    move(across, down) {
      const [x, y] = (this.cursor || "0,0").split(",").map(Number);
      for (let far = this.cursor ? 1 : 0; far <= 64; far++) { // over cells that cannot be painted
        const name = `${x + far * across},${y + far * down}`;
        if (this.$el.querySelector(`[data-cell="${name}"]`)) {
          this.cursor = name;
          break;
        }
      }
      this.mark();
    },
    mark(locked = this.locked) {
      const held = new Set(locked);
      for (const part of this.$el.querySelectorAll("[data-cell]")) {
        const name = part.dataset.cell;
        const touched = this.stroke && this.stroke.has(name);
        part.classList.toggle("locked", touched ? this.locking : held.has(name));
        part.classList.toggle("cursor", name === this.cursor);
      }
    },
    show() {
      if (this.svg !== this.shown) {
        this.$refs.picture.innerHTML = this.svg;
        this.shown = this.svg;
      }
      this.mark();
    },
  },
};
