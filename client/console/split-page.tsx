import { type JSX, Show } from 'solid-js'
import { environment } from '#client/api/account.ts'
import { Brand } from '#client/ui/brand.tsx'

/** A page in two halves: a form on the left, an illustration on the right where there is room. */
export function SplitPage(props: { title: string; intro: string; aside?: JSX.Element; children: JSX.Element }) {
  return (
    <main class="grid min-h-dvh grid-cols-1 bg-surface min-[760px]:grid-cols-[minmax(0,1fr)_minmax(0,1.05fr)]">
      <div class="flex flex-col px-5 min-[760px]:px-12">
        <div class="flex h-[60px] items-center min-[760px]:h-[76px]">
          <Brand />
          <Show when={environment()}>
            <span class="bdg warn ml-3">{environment()}</span>
          </Show>
        </div>
        <div class="mx-auto mt-4 w-full max-w-[344px] pb-6 min-[760px]:my-auto min-[760px]:pb-[92px]">
          <h1 class="text-[24px]/[32px] tracking-[-0.02em]">{props.title}</h1>
          <p class="mt-1 mb-6 text-ink-2">{props.intro}</p>
          {props.children}
        </div>
      </div>
      <div class="hidden place-items-center overflow-hidden border-l border-line bg-bg min-[760px]:grid">{props.aside}</div>
    </main>
  )
}
