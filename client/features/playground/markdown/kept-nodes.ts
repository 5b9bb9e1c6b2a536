/**
 * Cache of rendered DOM nodes that left the page, by their text: they are reused when shown again, and nothing is parsed, sanitised or
 * highlighted a second time. Keeps the nodes themselves, not copies; evicts the oldest.
 */
import { whenIdle } from '#client/ui/later.ts'

/** Maximum number of elements kept: the viewed parts of some ten conversations, a few megabytes. */
const mostElements = 40_000

interface Kept {
  nodes: DocumentFragment
  elements: number
}

/** Elements that are leaving the page: their nodes are taken out when the browser is idle and they are detached. */
const leaving = new Map<string, Element>()
const byKey = new Map<string, Kept>()
let elements = 0

/** Keeps the children of `place`, which leaves the page. */
export function keepNodes(key: string, place: Element): void {
  if (leaving.size === 0) whenIdle(takeOut, 1_000)
  leaving.set(key, place)
}

/** Removes and returns the nodes under `key`; undefined if there are none. */
export function takeNodes(key: string): DocumentFragment | undefined {
  const place = leaving.get(key)
  if (place !== undefined) {
    leaving.delete(key)
    return childrenOf(place)
  }
  const kept = byKey.get(key)
  if (kept === undefined) return undefined
  byKey.delete(key)
  elements -= kept.elements
  return kept.nodes
}

function takeOut(): void {
  for (const [key, place] of leaving) {
    elements -= byKey.get(key)?.elements ?? 0
    byKey.delete(key)
    const nodes = childrenOf(place)
    const kept = { nodes, elements: nodes.querySelectorAll('*').length + 1 }
    byKey.set(key, kept)
    elements += kept.elements
  }
  leaving.clear()
  for (const [oldest, kept] of byKey) {
    if (elements <= mostElements) return
    byKey.delete(oldest)
    elements -= kept.elements
  }
}

function childrenOf(place: Element): DocumentFragment {
  const nodes = document.createDocumentFragment()
  nodes.append(...place.childNodes)
  return nodes
}
