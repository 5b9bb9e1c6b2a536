import { Show } from 'solid-js'
/** Two letters of a name: the first of its first two words, or the first two of its only one. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? name)].slice(0, 2)
  return letters.join('').toLowerCase()
}

/** The letters of a name in a small square, before the name itself. */
export function Monogram(props: { name: string }) {
  return (
    <span class="monogram" aria-hidden="true">
      {initialsOf(props.name)}
    </span>
  )
}

/** A name in a table, truncated if long, so that what is beside it stays visible; in full in its title, and on phones. */
export function ShortName(props: { name: string; href?: string }) {
  return (
    <Show
      when={props.href}
      fallback={
        <span class="short" title={props.name}>
          {props.name}
        </span>
      }
    >
      {(href) => (
        <a class="short" href={href()} title={props.name}>
          {props.name}
        </a>
      )}
    </Show>
  )
}
