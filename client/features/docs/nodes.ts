/** Builds DOM nodes from the reference's HTML without innerHTML: a few elements and attributes are allowed, all else is text. */

const elements = new Set(
  [
    'p',
    'ul',
    'ol',
    'li',
    'code',
    'strong',
    'em',
    'pre',
    'div',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'h3',
    'h4',
    'br',
    'details',
  ].concat(['summary', 'span', 'a']),
)
const attributes = new Set(['id', 'class', 'scope', 'tabindex', 'role', 'aria-label'])
/** Whether this is a path on this site. */
const isOwn = (href: string) => /^\/(?!\/)/.test(href)
const token = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*>|([^<]+)/g
const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&amp;': '&' }

/** Unescapes HTML. */
export const decoded = (text: string): string => text.replace(/&(lt|gt|quot|#x27|amp);/g, (entity) => entities[entity] ?? entity)

/** The nodes of the HTML; elements that are not allowed are replaced by their content. */
export function nodesOf(html: string): DocumentFragment {
  const root = document.createDocumentFragment()
  const open: { name: string; node: Node }[] = []
  const here = () => open.at(-1)?.node ?? root
  for (const [, closes, name = '', given = '', text] of html.matchAll(token)) {
    if (text !== undefined) here().appendChild(document.createTextNode(decoded(text)))
    else if (!elements.has(name)) continue
    else if (closes === '/') {
      const at = open.findLastIndex((one) => one.name === name)
      if (at >= 0) open.splice(at)
    } else {
      const element = document.createElement(name)
      for (const [, attribute = '', value = ''] of given.matchAll(/([a-z-]+)="([^"]*)"/g)) {
        if (attributes.has(attribute) || (attribute === 'href' && isOwn(value))) element.setAttribute(attribute, decoded(value))
      }
      here().appendChild(element)
      if (name !== 'br') open.push({ name, node: element })
    }
  }
  return root
}
