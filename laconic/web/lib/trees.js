/** Best dependency trees: dynamic programs for projective ones, Chu-Liu/Edmonds for others. */

const toward = (from, to) => (from < to ? 1 : -1);

/**
 * The best derivation of a grammar, whose items come after those they are built from; of equal
 * ones the first. Returns the heads of words 1 .. n - 1.
 */
function bestTree(grammar, n) {
  const value = new Float64Array(grammar.nItems).fill(-Infinity);
  const first = new Int32Array(grammar.nItems).fill(-1), second = new Int32Array(grammar.nItems);
  for (const item of grammar.leaves) value[item] = 0;
  grammar.eachItem((item) => {
    let best = -Infinity;
    grammar.rules(item, (a, b, w) => {
      const score = value[a] + value[b] + w;
      if (score > best) (best = score), (first[item] = a), (second[item] = b);
    });
    value[item] = best;
  });
  const heads = new Int32Array(n).fill(-1), stack = [grammar.goal];
  if (value[grammar.goal] === -Infinity) return heads;
  while (stack.length) {
    const item = stack.pop();
    if (first[item] < 0) continue;
    const arc = grammar.arcOf(item);
    if (arc) heads[arc[1]] = arc[0];
    stack.push(first[item], second[item]);
  }
  return heads;
}

/** Both directions of all spans from short to long, the root's to the right alone. */
function eachSpan(n, body) {
  for (let width = 1; width < n; ++width)
    for (let low = 0; low + width < n; ++low) body(low, low + width);
}

/** Eisner 2000: C(h, e) = max_m I(h, m) + C(m, e), I(h, m) = arc + max_r C(h, r) + C(m, r + 1). */
function arcsGrammar({ n, single, allowed, arc }) {
  const complete = (h, e) => h * n + e, incomplete = (h, m) => (n + h) * n + m;
  return {
    nItems: 2 * n * n,
    goal: complete(0, n - 1),
    leaves: Array.from({ length: n }, (_, h) => complete(h, h)),
    eachItem: (f) =>
      eachSpan(n, (low, high) => {
        if (allowed(low, high)) f(incomplete(low, high));
        if (low > 0 && allowed(high, low)) f(incomplete(high, low));
        f(complete(low, high));
        if (low > 0) f(complete(high, low));
      }),
    rules(item, f) {
      const isArc = item >= n * n, h = Math.floor(item / n) % n, e = item % n;
      if (isArc) {
        const low = Math.min(h, e), high = Math.max(h, e), w = arc(h, e);
        const last = h === 0 && single ? 0 : high - 1;
        for (let r = low; r <= last; ++r) f(complete(low, r), complete(high, r + 1), w);
      } else
        for (let m = h, step = toward(h, e); m !== e; ) {
          m += step;
          f(incomplete(h, m), complete(m, e), 0);
        }
    },
    arcOf: (item) => (item >= n * n ? [Math.floor(item / n) % n, item % n] : null),
  };
}

/** McDonald and Pereira 2006: neighbouring children of one head are scored together. */
function siblingsGrammar({ n, single, allowed, arc, sibling }) {
  const [C, I, BESIDE] = [0, 1, 2], at = (kind, h, e) => (kind * n + h) * n + e;
  return {
    nItems: 3 * n * n,
    goal: at(C, 0, n - 1),
    leaves: Array.from({ length: n }, (_, h) => at(C, h, h)),
    eachItem: (f) =>
      eachSpan(n, (low, high) => {
        if (low > 0) f(at(BESIDE, low, high));
        if (allowed(low, high)) f(at(I, low, high));
        if (low > 0 && allowed(high, low)) f(at(I, high, low));
        f(at(C, low, high));
        if (low > 0) f(at(C, high, low));
      }),
    rules(item, f) {
      const kind = Math.floor(item / n / n), h = Math.floor(item / n) % n, e = item % n;
      const step = toward(h, e);
      if (kind === C)
        for (let m = h; m !== e; ) {
          m += step;
          f(at(I, h, m), at(C, m, e), 0);
        }
      else if (kind === BESIDE)
        for (let r = h; r < e; ++r) f(at(C, h, r), at(C, e, r + 1), 0);
      else {
        const own = arc(h, e);
        f(at(C, h, h), at(C, e, h + step), own + sibling(h, e, h));
        if (h === 0 && single) return;
        for (let s = h + step; s !== e; s += step)
          if (allowed(h, s))
            f(at(I, h, s), at(BESIDE, Math.min(s, e), Math.max(s, e)), own + sibling(h, e, s));
      }
    },
    arcOf: (item) =>
      Math.floor(item / n / n) === I ? [Math.floor(item / n) % n, item % n] : null,
  };
}

/** Carreras 2007: siblings, and the outermost children of the modifier on either side. */
function carrerasGrammar({ n, single, allowed, arc, sibling, grandchild, number, ends, nArcs }) {
  const [C, I, NEAR, FAR] = [0, 1, 2, 3], unit = 4 * nArcs * n, goal = n > 1 ? unit + 1 : unit;
  const at = (kind, h, m, place) => (kind * nArcs + number(h, m)) * n + place;
  /** Calls f(c, item) for the possible outermost children of a head whose span ends at e. */
  const eachChild = (head, e, f) => {
    if (head === e) return f(head, unit);
    for (let c = head, step = toward(head, e); c !== e; ) {
      c += step;
      if (allowed(head, c)) f(c, at(C, head, c, e));
    }
  };
  return {
    nItems: unit + 2,
    goal,
    leaves: [unit],
    eachItem: (f) => {
      eachSpan(n, (low, high) => {
        for (const [h, m] of low > 0 ? [[low, high], [high, low]] : [[low, high]]) {
          if (!allowed(h, m)) continue;
          for (let r = low; r < high; ++r) f(at(NEAR, h, m, r)), f(at(FAR, h, m, r));
          f(at(I, h, m, 0));
        }
        for (let m = low + 1; m <= high; ++m) if (allowed(low, m)) f(at(C, low, m, high));
        for (let m = low; low > 0 && m < high; ++m) if (allowed(high, m)) f(at(C, high, m, low));
      });
      if (n > 1) f(goal);
    },
    rules(item, f) {
      if (item === goal) {
        for (let m = 1; m < n; ++m) if (allowed(0, m)) f(at(C, 0, m, n - 1), unit, 0);
        return;
      }
      const kind = Math.floor(item / n / nArcs), place = item % n;
      const [h, m] = ends(Math.floor(item / n) % nArcs);
      if (kind === C)
        eachChild(m, place, (c, side) => f(side, at(I, h, m, 0), grandchild(h, m, c)));
      else if (kind === I) {
        const last = h === 0 && single ? 0 : Math.max(h, m) - 1, w = arc(h, m);
        for (let r = Math.min(h, m); r <= last; ++r) f(at(NEAR, h, m, r), at(FAR, h, m, r), w);
      } else if (kind === NEAR)
        eachChild(h, h < m ? place : place + 1, (c, side) => f(side, unit, sibling(h, m, c)));
      else
        eachChild(m, h < m ? place + 1 : place, (c, side) => f(side, unit, grandchild(h, m, c)));
    },
    arcOf: (item) =>
      item < unit && Math.floor(item / n / nArcs) === I ? ends(Math.floor(item / n) % nArcs) : null,
  };
}

const GRAMMARS = { arcs: arcsGrammar, siblings: siblingsGrammar, carreras: carrerasGrammar };

/**
 * The heads of words 1 .. n - 1 in the best projective tree.
 * @param {"arcs" | "siblings" | "carreras"} model
 * @param {any} scores n, single, allowed(h, m), arc(h, m) and what else the model asks for
 */
export function projectiveTree(model, scores) {
  return bestTree(GRAMMARS[model](scores), scores.n);
}

/**
 * The heads of words 1 .. n - 1 in the best tree, whose arcs may cross (Chu-Liu/Edmonds).
 * @param {Float64Array} arcs score of every arc by (head, modifier), -Infinity where forbidden
 */
export function crossingTree(arcs, n, single) {
  const score = arcs.map((value, i) => (Math.floor(i / n) === i % n ? -Infinity : value));
  if (single) {
    const finite = arcs.filter(Number.isFinite);
    const cost = (Math.max(0, ...finite) - Math.min(0, ...finite) + 1) * n;
    for (let m = 1; m < n; ++m) score[m] -= cost;
  }
  const heads = new Int32Array(n).fill(-1), nodes = Array.from({ length: n }, (_, v) => v);
  const found = contracted(nodes, (u, v) => score[u * n + v]);
  if (found) for (const [m, h] of found) heads[m] = h;
  return heads;
}

/** The best arcs into all nodes but the first, as a Map from node to head; null if there is none. */
function contracted(nodes, score) {
  const best = new Map();
  for (const v of nodes.slice(1)) {
    let from = -1;
    for (const u of nodes)
      if (u !== v && score(u, v) !== -Infinity && (from < 0 || score(u, v) > score(from, v))) from = u;
    if (from < 0) return null;
    best.set(v, from);
  }
  const cycle = cycleOf(best);
  if (!cycle) return best;
  const inside = new Set(cycle), joint = cycle.at(-1);
  const rest = nodes.filter((v) => !inside.has(v) || v === joint);
  const table = new Map();
  for (const u of rest) {
    if (u === joint) continue;
    const into = [-Infinity, joint], out = [-Infinity, joint];
    for (const v of cycle) {
      const entering = score(u, v) - score(best.get(v), v), leaving = score(v, u);
      if (entering > into[0]) (into[0] = entering), (into[1] = v);
      if (leaving > out[0]) (out[0] = leaving), (out[1] = v);
    }
    table.set(u, { into, out });
  }
  const found = contracted(rest, (u, v) =>
    v === joint ? table.get(u).into[0] : u === joint ? table.get(v).out[0] : score(u, v),
  );
  if (!found) return null;
  const entered = table.get(found.get(joint)).into[1], whole = new Map();
  for (const v of cycle) if (v !== entered) whole.set(v, best.get(v));
  for (const [v, u] of found)
    if (v === joint) whole.set(entered, u);
    else whole.set(v, u === joint ? table.get(v).out[1] : u);
  return whole;
}

/** The nodes of a cycle of heads, null if there is none. */
function cycleOf(heads) {
  const state = new Map();
  for (const start of heads.keys()) {
    const path = [];
    let at = start;
    while (heads.has(at) && !state.has(at)) {
      state.set(at, start);
      path.push(at);
      at = heads.get(at);
    }
    if (state.get(at) === start && heads.has(at)) return path.slice(path.indexOf(at));
  }
  return null;
}

/**
 * The probability of every arc among all trees, which may cross (the matrix-tree theorem).
 * @param {Float64Array} arcs scores by (head, modifier)
 */
export function arcProbabilities(arcs, n) {
  const size = n - 1, weight = new Float64Array(n * n);
  for (let m = 1; m < n; ++m) {
    let top = -Infinity;
    for (let h = 0; h < n; ++h) if (h !== m) top = Math.max(top, arcs[h * n + m]);
    for (let h = 0; h < n; ++h) if (h !== m) weight[h * n + m] = Math.exp(arcs[h * n + m] - top);
  }
  const rows = Array.from({ length: size }, () => new Float64Array(2 * size));
  for (let m = 1; m < n; ++m) {
    rows[m - 1][size + m - 1] = 1;
    for (let h = 0; h < n; ++h) {
      if (h > 0) rows[h - 1][m - 1] -= weight[h * n + m];
      rows[m - 1][m - 1] += weight[h * n + m];
    }
  }
  invert(rows, size);
  const inverse = (row, column) => rows[row - 1][size + column - 1];
  for (let m = 1; m < n; ++m)
    for (let h = 0; h < n; ++h) {
      const p = inverse(m, m) - (h === 0 ? 0 : inverse(m, h));
      weight[h * n + m] = Math.min(1, Math.max(0, weight[h * n + m] * p));
    }
  return weight;
}

/** Gauss-Jordan with row pivots: rows (A, 1) become (1, inverse of A). */
function invert(rows, size) {
  for (let column = 0; column < size; ++column) {
    let pivot = column;
    for (let row = column + 1; row < size; ++row)
      if (Math.abs(rows[row][column]) > Math.abs(rows[pivot][column])) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    const own = rows[column], value = own[column];
    for (let j = 0; j < 2 * size; ++j) own[j] /= value;
    rows.forEach((row, i) => {
      const factor = row[column];
      if (i === column || factor === 0) return;
      for (let j = 0; j < 2 * size; ++j) row[j] -= factor * own[j];
    });
  }
}
