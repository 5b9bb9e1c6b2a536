import { For, type JSX, Show } from 'solid-js'
import { Tooltip } from '#client/ui/tooltip.tsx'
import { tc } from './messages.ts'

/** The shapes of a state: circle, diamond, square, ring, pulsing circle. */
export type Shape = 'ok' | 'warn' | 'bad' | 'off' | 'live'

/** A state as a shape and a word, so that it never depends on colour. */
export function Status(props: { shape: Shape; children: JSX.Element }) {
  return (
    <span class="st">
      <span class={`shape ${props.shape}`} aria-hidden="true" />
      {props.children}
    </span>
  )
}

/** Marks a row that cannot be changed here: parley.yaml owns it, or it is built into Parley. */
export function FileBadge(props: { builtIn?: boolean }) {
  const why = () => tc(props.builtIn ? 'builtInWhy' : 'fileWhy')
  return (
    <Tooltip label={why()}>
      <span class="bdg info">
        {tc(props.builtIn ? 'builtIn' : 'file')}
        <span class="hidden-text">: {why()}</span>
      </span>
    </Tooltip>
  )
}

/** The first three of some names as badges, and how many more there are. */
export function Badges(props: { names: readonly string[] }) {
  return (
    <span class="flex gap-1">
      <For each={props.names.slice(0, 3)}>{(name) => <span class="bdg">{name}</span>}</For>
      <Show when={props.names.length > 3}>
        <span class="bdg">+{props.names.length - 3}</span>
      </Show>
    </span>
  )
}
