// Sounds of a game, made here out of tones: nothing is loaded.

// A kind of sound is notes of [frequency, start, length] in seconds; a set gives them their colour.
const KINDS = {
  move: [[520, 0, 0.12]],
  dice: [[210, 0, 0.05], [260, 0.07, 0.05], [190, 0.15, 0.05], [240, 0.24, 0.07]],
  turn: [[660, 0, 0.12], [880, 0.12, 0.18]],
  win: [[523, 0, 0.16], [659, 0.14, 0.16], [784, 0.28, 0.16], [1047, 0.42, 0.4]],
  lose: [[392, 0, 0.2], [330, 0.18, 0.2], [262, 0.36, 0.4]],
  end: [[440, 0, 0.2], [440, 0.22, 0.3]],
};
const SETS = {
  soft: { wave: "sine", loud: 0.09, pitch: 1 },
  wood: { wave: "triangle", loud: 0.16, pitch: 0.5 },
  arcade: { wave: "square", loud: 0.035, pitch: 1 },
};

export default {
  template: `<span hidden></span>`,
  props: { set: String },
  methods: {
    play(kind) {
      const colour = SETS[this.set];
      if (!colour || !KINDS[kind]) return;
      const audio = (this.audio = this.audio || new AudioContext());
      this.played = kind;
      for (const [frequency, start, length] of KINDS[kind]) {
        const [tone, volume, at] = [audio.createOscillator(), audio.createGain(), audio.currentTime + start];
        tone.type = colour.wave;
        tone.frequency.value = frequency * colour.pitch;
        volume.gain.setValueAtTime(colour.loud, at);
        volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
        tone.connect(volume).connect(audio.destination);
        tone.start(at);
        tone.stop(at + length);
      }
    },
  },
};
