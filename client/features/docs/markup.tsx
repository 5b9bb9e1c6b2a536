import { onCleanup, onMount } from 'solid-js'
import { colourLater, languageIn } from './colours.ts'
import { nodesOf } from './nodes.ts'

/** A block of the reference; its code gets colours when the page has nothing else to do. */
export function Markup(props: { html: string }) {
  let block: HTMLDivElement | undefined
  onMount(() => {
    block?.replaceChildren(nodesOf(props.html))
    for (const code of block?.querySelectorAll<HTMLElement>('pre > code') ?? []) {
      const text = code.textContent ?? ''
      const language = languageIn(text)
      if (language) colourLater(code, text, language)
    }
  })
  onCleanup(() => block?.replaceChildren())
  return <div ref={block} />
}
