// Dice that fell: they tumble, then lie still with their numbers; who wants no motion sees the numbers at once.

const TUMBLE = 600; // milliseconds
const PIPS = { 1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568" }; // of nine places, row by row

export default {
  template: `
    <div class="dice" :class="{tumbling}" v-show="rows.length || kept">
      <div class="dice-row" v-for="(row, r) in rows" :key="r">
        <svg v-for="(face, i) in row.faces" :key="i" class="die" viewBox="0 0 24 24" :style="turned(r, i)" aria-hidden="true">
          <rect x="1" y="1" width="22" height="22" rx="5" :fill="row.color"/>
          <rect x="3" y="3" width="18" height="18" rx="4" fill="#fffdf7"/>
          <template v-if="row.sides <= 6">
            <circle v-for="place in pips(now(r, i, face, row.sides))" :key="place" :cx="6.5 + 5.5 * (place % 3)" :cy="6.5 + 5.5 * Math.floor(place / 3)" r="2" fill="#1d2329"/>
          </template>
          <text v-else x="12" y="16.5" text-anchor="middle" font-size="12" font-weight="700" fill="#1d2329">{{ now(r, i, face, row.sides) }}</text>
        </svg>
        <span class="dice-sum numbers" v-if="row.faces.length > 1">{{ tumbling ? "…" : sum(row) }}</span>
      </div>
      <div class="dice-said" aria-live="polite">{{ tumbling ? "" : said }}</div>
    </div>`,
  props: {
    number: Number, // which roll of the match it is
    rows: { type: Array, default: () => [] }, // {color, faces, sides}
    said: String,
    kept: Boolean, // there is place for them before any fall
    tumbles: Boolean, // not what had fallen before anybody looked
  },
  data: () => ({ tumbling: false, beat: 0 }),
  watch: {
    number(now, before) {
      this.stop();
      if (!this.tumbles || now < before || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      this.tumbling = true;
      this.timer = setInterval(() => (this.beat += 1), 80);
      this.end = setTimeout(() => this.stop(), TUMBLE);
    },
  },
  unmounted() {
    this.stop();
  },
  methods: {
    stop() {
      clearInterval(this.timer);
      clearTimeout(this.end);
      this.tumbling = false;
    },
    now(r, i, face, sides) {
      return this.tumbling ? 1 + ((face + 3 * this.beat * (i + 1) + 2 * r + this.beat) % sides) : face;
    },
    turned(r, i) {
      return this.tumbling ? { transform: `rotate(${(this.beat * 47 + i * 61 + r * 31) % 360}deg)` } : {};
    },
    pips: (face) => [...(PIPS[face] || "")].map(Number),
    sum: (row) => row.faces.reduce((a, b) => a + b, 0),
  },
};
