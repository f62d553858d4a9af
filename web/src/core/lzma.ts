// Unpacks LZMA, as `xz --format=lzma` writes it: WebAssembly becomes a third smaller than by gzip, which is all that
// browsers unpack themselves. After the specification of the LZMA SDK (public domain).

const kTop = 1 << 24;

/** The range decoder over adaptive bits, each a probability of 0 in 11 bits. */
class Bits {
  private code = 0;
  private range = 0xffffffff;
  constructor(private bytes: Uint8Array, private at: number) {
    ++this.at; // the first byte is 0
    for (let i = 0; i < 4; ++i) this.code = ((this.code << 8) | this.bytes[this.at++]) >>> 0;
  }

  private refill(): void {
    if (this.range >= kTop) return;
    this.range = (this.range << 8) >>> 0;
    this.code = ((this.code << 8) | this.bytes[this.at++]) >>> 0;
  }

  bit(p: Uint16Array, i: number): number {
    const probability = p[i];
    const bound = (this.range >>> 11) * probability;
    if (this.code < bound) {
      this.range = bound;
      p[i] = probability + ((2048 - probability) >> 5);
      this.refill();
      return 0;
    }
    this.range = (this.range - bound) >>> 0;
    this.code = (this.code - bound) >>> 0;
    p[i] = probability - (probability >> 5);
    this.refill();
    return 1;
  }

  /** `n` bits that are as often 0 as 1. */
  direct(n: number): number {
    let out = 0;
    for (; n > 0; --n) {
      this.range >>>= 1;
      const one = this.code >= this.range;
      if (one) this.code = (this.code - this.range) >>> 0;
      out = (out << 1) | (one ? 1 : 0);
      this.refill();
    }
    return out >>> 0;
  }

  /** A number of `n` bits, the highest first, by a tree of probabilities from `base` on. */
  tree(p: Uint16Array, base: number, n: number): number {
    let m = 1;
    for (let i = 0; i < n; ++i) m = (m << 1) | this.bit(p, base + m);
    return m - (1 << n);
  }
  /** The same, the lowest first. */
  reverse(p: Uint16Array, base: number, n: number): number {
    let m = 1, out = 0;
    for (let i = 0; i < n; ++i) {
      const b = this.bit(p, base + m);
      m = (m << 1) | b;
      out |= b << i;
    }
    return out;
  }
}

const fresh = (n: number) => new Uint16Array(n).fill(1024);

class Lengths {
  private choice = fresh(2);
  private low = fresh(16 << 3);
  private middle = fresh(16 << 3);
  private high = fresh(256);
  read(bits: Bits, position: number): number {
    if (bits.bit(this.choice, 0) === 0) return bits.tree(this.low, position << 3, 3);
    if (bits.bit(this.choice, 1) === 0) return 8 + bits.tree(this.middle, position << 3, 3);
    return 16 + bits.tree(this.high, 0, 8);
  }
}

/** The header has to say how many bytes come out: at most 4 GB. */
export function unpack(bytes: Uint8Array): Uint8Array {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(5, true);
  const properties = bytes[0];
  const lc = properties % 9, lp = Math.floor(properties / 9) % 5, pb = Math.floor(properties / 45);
  const bits = new Bits(bytes, 13); // properties, dictionary (4), size (8)
  const out = new Uint8Array(size);
  const literals = fresh(0x300 << (lc + lp));
  const isMatch = fresh(12 << 4), isRep = fresh(12), isRep0 = fresh(12), isRep1 = fresh(12), isRep2 = fresh(12), isRep0Long = fresh(12 << 4);
  const slots = fresh(4 << 6), special = fresh(115), align = fresh(16);
  const lengths = new Lengths(), repLengths = new Lengths();
  let state = 0, at = 0;
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];
  const posMask = (1 << pb) - 1, literalMask = (1 << lp) - 1;

  while (at < size) {
    const position = at & posMask;
    if (bits.bit(isMatch, (state << 4) + position) === 0) {
      const before = at > 0 ? out[at - 1] : 0;
      const base = 0x300 * (((at & literalMask) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let matched = out[at - rep0 - 1];
        do {
          const high = (matched >> 7) & 1;
          matched <<= 1;
          const b = bits.bit(literals, base + ((1 + high) << 8) + symbol);
          symbol = (symbol << 1) | b;
          if (high !== b) break;
        } while (symbol < 0x100);
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bits.bit(literals, base + symbol);
      out[at++] = symbol & 0xff;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length: number;
    if (bits.bit(isRep, state) !== 0) {
      if (bits.bit(isRep0, state) === 0) {
        if (bits.bit(isRep0Long, (state << 4) + position) === 0) {
          state = state < 7 ? 9 : 11;
          out[at] = out[at - rep0 - 1];
          ++at;
          continue;
        }
      } else {
        let distance: number;
        if (bits.bit(isRep1, state) === 0) distance = rep1;
        else {
          if (bits.bit(isRep2, state) === 0) distance = rep2;
          else [distance, rep3] = [rep3, rep2];
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = distance;
      }
      length = repLengths.read(bits, position);
      state = state < 7 ? 8 : 11;
    } else {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      length = lengths.read(bits, position);
      state = state < 7 ? 7 : 10;
      const slot = bits.tree(slots, Math.min(length, 3) << 6, 6);
      if (slot < 4) rep0 = slot;
      else {
        const footer = (slot >> 1) - 1;
        const base = (2 | (slot & 1)) << footer;
        if (slot < 14) rep0 = base + bits.reverse(special, base - slot, footer);
        else rep0 = (base >>> 0) + ((bits.direct(footer - 4) << 4) >>> 0) + bits.reverse(align, 0, 4);
      }
      if (rep0 === 0xffffffff) break; // the end
    }
    length += 2;
    if (rep0 >= at) throw new Error("the core of this page is damaged: load it again");
    for (const end = Math.min(size, at + length); at < end; ++at) out[at] = out[at - rep0 - 1];
  }
  return out;
}
