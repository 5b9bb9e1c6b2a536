import { onCleanup, onMount } from 'solid-js'
import { colourLater, languageIn } from './colours.ts'
import { nodesOf } from './nodes.ts'
import { hrefOf } from './reference.ts'

/** A block of the reference; its code is coloured when idle, its headings link to themselves. */
export function Markup(props: { page: string; html: string }) {
  let block: HTMLDivElement | undefined
  onMount(() => {
    block?.replaceChildren(nodesOf(props.html))
    for (const heading of block?.querySelectorAll('h3[id], h4[id]') ?? []) linkToItself(heading, props.page)
    for (const code of block?.querySelectorAll<HTMLElement>('pre > code') ?? []) {
      const text = code.textContent ?? ''
      const language = languageIn(text)
      if (language) colourLater(code, text, language)
    }
  })
  onCleanup(() => block?.replaceChildren())
  return <div ref={block} />
}

function linkToItself(heading: Element, page: string): void {
  const link = document.createElement('a')
  link.className = 'docs-anchor'
  link.href = hrefOf(page, heading.id)
  link.append(...heading.childNodes)
  heading.append(link)
}
