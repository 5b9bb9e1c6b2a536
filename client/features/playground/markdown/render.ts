/**
 * One markdown block as DOM nodes. Loaded when the first reply needs it. What a model writes is never trusted: raw HTML is
 * shown as text, the result passes DOMPurify with a short list of tags, links leave without a referrer, and no image or
 * other resource from elsewhere is ever loaded.
 */
import createPurifier from 'dompurify'
import { htmlOf } from './parse.ts'
import { parsedElsewhere } from './parse-elsewhere.ts'

const purifier = createPurifier(window)

const allowed = {
  ALLOWED_TAGS: 'a blockquote br code del div em h3 h4 h5 h6 hr img li ol p pre s span strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  ),
  ALLOWED_ATTR: ['href', 'title', 'align', 'start', 'src', 'alt', 'class', 'data-math'],
  // Only URLs are checked against the pattern below; these attributes contain text.
  ADD_URI_SAFE_ATTR: ['title', 'align', 'start', 'alt', 'class', 'data-math'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
  RETURN_DOM_FRAGMENT: true as const,
}

/** Longer blocks are parsed by a worker. Characters. */
const mostHere = 4_096

/** The source of a block: its text, and `definitions` (link targets from elsewhere in the reply) if it may use them. */
export const sourceOf = (block: string, definitions: string): string =>
  definitions !== '' && block.includes('[') ? `${block}\n\n${definitions}` : block

/**
 * The source of a block as DOM nodes, safe to insert; a promise of them for a long one. Undefined if it takes too long or nests too
 * deep: it stays text.
 */
export function renderBlock(source: string): DocumentFragment | undefined | Promise<DocumentFragment | undefined> {
  if (source.length > mostHere) return parsedElsewhere(source).then(nodesOf)
  return nodesOf(htmlOf(source))
}

function nodesOf(html: string | undefined): DocumentFragment | undefined {
  if (html === undefined) return undefined
  const nodes = purifier.sanitize(html, allowed)
  for (const link of nodes.querySelectorAll('a')) guardLink(link)
  for (const image of nodes.querySelectorAll('img')) guardImage(image)
  for (const table of nodes.querySelectorAll('table')) wrap(table, 'md-table')
  for (const pre of nodes.querySelectorAll('pre')) pre.tabIndex = 0
  return nodes
}

/** Highlighter output as DOM nodes: only `<span class>` survives. */
export const renderSpans = (html: string): DocumentFragment =>
  purifier.sanitize(html, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true as const })

function guardLink(link: HTMLAnchorElement): void {
  const target = link.getAttribute('href')
  if (target === null || !/^(https?|mailto):/i.test(target)) {
    link.replaceWith(...link.childNodes)
    return
  }
  link.rel = 'noopener noreferrer nofollow'
  link.target = '_blank'
  const shown = /^(?:https?:\/\/)?([\w-]+(?:\.[\w-]+)+)/i.exec(link.textContent?.trim() ?? '')?.[1]
  // A link whose text names another host is misleading.
  if (shown && URL.canParse(target) && new URL(target).hostname !== shown.toLowerCase()) link.append(` (${new URL(target).hostname})`)
}

function guardImage(image: HTMLImageElement): void {
  const source = image.getAttribute('src') ?? ''
  if (source.startsWith('data:image/')) return
  const link = document.createElement('a')
  const text = image.alt || 'image'
  if (/^https?:/i.test(source) && URL.canParse(source)) {
    link.href = source
    link.rel = 'noopener noreferrer nofollow'
    link.target = '_blank'
    link.textContent = `${text} (${new URL(source).hostname})`
    image.replaceWith(link)
  } else image.replaceWith(text)
}

function wrap(element: Element, name: string): void {
  const region = document.createElement('div')
  region.className = name
  region.tabIndex = 0
  region.setAttribute('role', 'region')
  element.replaceWith(region)
  region.append(element)
}
