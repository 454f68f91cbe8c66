"""The style sheet of report pages: light and dark, narrow screens, paper; self-contained."""

STYLE = """
:root { color-scheme: light dark;
  --paper: #fbfbfa; --card: #fff; --ink: #1d2126; --soft: #5b646e; --faint: #9aa2ab;
  --rule: #e3e6e9; --track: #eef0f2;
  --for: 0, 114, 178; --against: 213, 94, 0; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #15181b; --card: #1d2125; --ink: #e8eaec; --soft: #a7b0b9; --faint: #6d7680;
  --rule: #30363c; --track: #2a2f35;
  --for: 86, 180, 233; --against: 240, 140, 60; --accent: #6cbcec; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial,
  sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.2rem 1.2rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .3rem; }
h3 { font-size: 1rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
p { margin: .2rem 0 .9rem; } .lead, .note { color: var(--soft); } .note { font-size: .9rem;
  max-width: 48rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .7rem;
  margin: 1.4rem 0 0; padding: 0; }
.facts div, .card { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem;
  padding: .8rem 1rem; }
.facts dt { font-size: .78rem; color: var(--soft); } .facts dd { margin: 0; font-size: 1.15rem;
  font-weight: 600; overflow-wrap: anywhere; }
.facts small { font-weight: 400; font-size: .82rem; color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr));
  gap: .9rem; }
.cards, .document { margin-top: .9rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 500; font-size: .78rem; color: var(--soft);
  padding: 0 .5rem .25rem 0; }
td { padding: .32rem .5rem .32rem 0; border-top: 1px solid var(--rule); vertical-align: top;
  overflow-wrap: anywhere; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; }
th[aria-sort=ascending] button::after { content: " ↑"; }
th[aria-sort=descending] button::after { content: " ↓"; }
.search { margin: .3rem 0 .5rem; font-size: .85rem; color: var(--soft); }
.search input { font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: .35rem;
  padding: .2rem .5rem; max-width: 100%; } :focus-visible { outline: 2px solid var(--accent);
  outline-offset: 2px; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums;
  padding-right: 0; padding-left: .6rem; }
.bars td { border: 0; padding: .1rem .5rem .1rem 0; vertical-align: middle; }
td.wide { width: 30%; vertical-align: middle; padding-left: 1rem; }
.names { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin: 0; }
.bars td:first-child { width: 38%; } .features .bars td:first-child { width: 62%; }
  .bars td.number { width: 4.5rem; color: var(--soft); }
.bar { display: block; height: .8rem; min-width: 2px; border-radius: .2rem;
  background: var(--accent);
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.zero { color: var(--faint); } .live { font-weight: 600; } .empty { color: var(--soft);
  font-style: italic; }
.sentence { display: grid; grid-template-columns: 4.2rem 1fr; gap: .7rem; padding: .22rem .5rem;
  margin: 2px 0; border-radius: .35rem;
  white-space: pre-wrap; overflow-wrap: anywhere; -webkit-print-color-adjust: exact;
  print-color-adjust: exact; }
.sentence.for { background: rgba(var(--for), calc(var(--share) * .42)); }
.sentence.against { background: rgba(var(--against), calc(var(--share) * .42)); }
.effect { text-align: right; color: var(--soft); font-size: .85rem; line-height: 1.75;
  font-variant-numeric: tabular-nums; }
.sentence.for .effect, .sentence.against .effect { color: inherit; }
.key { display: inline-block; padding: 0 .45rem; border-radius: .3rem; color: var(--ink);
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.key.for { background: rgba(var(--for), .35); } .key.against {
  background: rgba(var(--against), .35); }
summary { cursor: pointer; } td details div { font-size: .85rem; color: var(--soft); }
mark { background: rgba(var(--for), .28); color: inherit; border-radius: .2rem; }
.tree { overflow-x: auto; margin-top: .8rem; }
.tree svg { display: block; max-width: 100%; height: auto; font: 13px system-ui, -apple-system,
  "Segoe UI", Roboto, Arial, sans-serif; }
.tree text { text-anchor: middle; dominant-baseline: central; fill: var(--ink);
  stroke: var(--card); stroke-width: 5px; paint-order: stroke; }
.tree text.label { font-size: 11px; fill: var(--soft); } .tree text.word { font-weight: 600; }
.tree text.removed { fill: var(--faint); font-weight: 400; font-style: italic; }
.tree path { fill: none; stroke: var(--soft); stroke-width: 1.1; } .tree path.removed {
  stroke: var(--faint); stroke-dasharray: 2 3; }
.plot { overflow-x: auto; } .plot svg { display: block; width: 100%; min-width: 32rem; height: auto;
  font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
.plot text { fill: var(--soft); } .plot .grid { stroke: var(--rule); } .plot .axis {
  stroke: var(--soft); }
.plot polyline { fill: none; stroke: var(--accent); stroke-width: 1.8; stroke-linejoin: round; }
.plot polyline.second { stroke: rgb(var(--against)); stroke-dasharray: 6 4; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem;
  border-top: 1px solid var(--rule); padding-top: .8rem; }
@media (max-width: 50rem) { .tree svg { max-width: none; } }
@media (max-width: 30rem) { main { padding: 1.3rem .8rem 3rem; } .facts {
  grid-template-columns: 1fr 1fr; }
  .sentence { grid-template-columns: 3.4rem 1fr; gap: .5rem; padding: .22rem .2rem; } }
@media print { .search { display: none; } }
@media print { :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --faint: #888;
  --rule: #ccc; --track: #eee;
    --for: 0, 114, 178; --against: 213, 94, 0; --accent: #0072b2; color-scheme: light; }
  html, body { font-size: 11px; } main { max-width: none; padding: 0; } h2, h3 {
  break-after: avoid; }
  h2 + .note { break-after: avoid; } .facts div, .bars, .sentence, tr { break-inside: avoid; }
  .tree { overflow: visible; } .tree svg { max-width: 100%; height: auto; } }
"""
