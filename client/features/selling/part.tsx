import type { JSX } from 'solid-js'
import { Button } from '#client/ui/button.tsx'

/** A section of the page: heading, description, and the button that adds to it. */
export function Part(props: { title: string; why: string; add: string; onAdd(): void; children: JSX.Element }) {
  return (
    <section class="grid min-w-0 gap-3">
      <div class="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div class="min-w-[min(100%,240px)] flex-1">
          <h2 class="text-[14px]/[20px] font-semibold">{props.title}</h2>
          <p class="max-w-[72ch] text-[13px] text-ink-2">{props.why}</p>
        </div>
        <Button icon="plus" onClick={() => props.onAdd()}>
          {props.add}
        </Button>
      </div>
      {props.children}
    </section>
  )
}
