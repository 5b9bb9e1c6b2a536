/**
 * What was drawn and left the page, by its text: whoever comes back to it sees the same nodes again, and nothing is read, cleaned or
 * highlighted a second time. The nodes themselves are kept, no copies; the oldest are let go.
 */
import { whenIdle } from '#client/ui/later.ts'

/** Elements that are kept: some ten conversations as far as they were looked at, a few megabytes. */
const mostElements = 40_000

interface Kept {
  nodes: DocumentFragment
  elements: number
}

/** Places that are leaving the page: their nodes are taken out when the browser is idle, when they are no longer part of it. */
const leaving = new Map<string, Element>()
const byKey = new Map<string, Kept>()
let elements = 0

/** Keeps the children of `place`, which leaves the page. */
export function keepNodes(key: string, place: Element): void {
  if (leaving.size === 0) whenIdle(takeOut, 1_000)
  leaving.set(key, place)
}

/** The nodes kept under `key`, which are no longer kept; undefined where there are none. */
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
