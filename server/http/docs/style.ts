/** Style of the reference page, the same as the playground's. A test compares the colours with the playground's tokens. */

/** Light and dark colours, by their token names in the playground. */
export const colours: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  bg: ['#f6f6f2', '#0d100f'],
  surface: ['#ffffff', '#131716'],
  fill: ['#f3f3ee', '#212826'],
  code: ['#f9f9f6', '#0e1211'],
  line: ['#e5e5de', '#252c2a'],
  text: ['#161a18', '#ecefed'],
  'text-2': ['#444a46', '#bac2be'],
  'text-3': ['#5f6661', '#929c97'],
  accent: ['#0b6a60', '#59c4b2'],
}

const tokens = Object.entries(colours).map(([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`)

/** The page's only style sheet. */
export const style = `
:root { color-scheme: light dark; ${tokens.join(' ')}
  --sans: -apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", Inter, Roboto, "Noto Sans", system-ui, sans-serif;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace; }
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0; font: 400 14px/22px var(--sans); color: var(--text); background: var(--bg); overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 8px; background: var(--surface); padding: 8px 12px; z-index: 1; }
.frame { display: grid; grid-template-columns: 220px minmax(0, 820px); gap: 48px; max-width: 1160px; margin: 0 auto; padding: 0 24px; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 32px 4px; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .deep { margin: 2px 0 10px; padding-left: 12px; border-left: 1px solid var(--line); }
nav .deep a { font-size: 13px; color: var(--text-3); }
nav a { display: block; padding: 3px 0; color: var(--text-2); text-decoration: none; }
nav a:hover { color: var(--accent); text-decoration: underline; }
main { padding: 32px 0 96px; }
h1, h2, h3, h4 { font-weight: 600; letter-spacing: -0.011em; line-height: 1.3; margin: 0; }
h1 { font-size: 26px; }
h2 { font-size: 20px; margin-top: 56px; padding-top: 16px; border-top: 1px solid var(--line); }
h3 { font-size: 15px; margin-top: 32px; }
h4 { font-size: 14px; margin-top: 24px; }
p, ul, ol { margin: 10px 0; max-width: 72ch; }
.lead { font-size: 16px; line-height: 25px; color: var(--text-2); }
code, pre { font-family: var(--mono); font-size: 12.5px; font-variant-ligatures: none; }
:not(pre) > code { background: var(--fill); border-radius: 4px; padding: 1px 4px; }
pre { margin: 12px 0; padding: 12px 14px; background: var(--code); border: 1px solid var(--line); border-radius: 10px; overflow: auto; line-height: 20px; overflow-wrap: normal; }
.wide { margin: 12px 0; overflow: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
table { width: 100%; border-collapse: collapse; overflow-wrap: normal; }
th, td { padding: 7px 12px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; min-width: 7ch; }
thead th, thead td { border-top: 0; color: var(--text-3); font-size: 12px; white-space: nowrap; }
.address { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; }
.method { font: 600 12px/20px var(--mono); color: var(--accent); }
.address code { background: none; padding: 0; font-size: 13.5px; }
.meta { color: var(--text-3); font-size: 13px; }
details > summary { cursor: pointer; color: var(--accent); padding: 4px 0; }
@media (max-width: 860px) {
  .frame { display: block; padding: 0 16px; }
  nav { position: static; max-height: none; padding: 16px 0 0; }
  nav ul { display: flex; flex-wrap: wrap; gap: 2px 16px; }
  nav .deep { display: none; }
  main { padding-top: 16px; }
}
@media (pointer: coarse) { nav a, details > summary { padding: 11px 0; } }
@media print { nav, .skip { display: none; } .frame { display: block; } pre, .wide { overflow: visible; } }
`
