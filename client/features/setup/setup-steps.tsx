import { For, Show } from 'solid-js'
import { Brand } from '#client/ui/brand.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { t } from './messages.ts'

const stages = [
  ['stepOne', 'stepOneNote'],
  ['stepTwo', 'stepTwoNote'],
  ['stepThree', 'stepThreeNote'],
  ['stepFour', 'stepFourNote'],
] as const

/** The steps of setup. `current` is the index of the open one. */
export function SetupSteps(props: { current: number }) {
  return (
    <aside class="relative border-line bg-bg px-4 pb-4 max-[759px]:border-b min-[760px]:border-r min-[760px]:px-7">
      <div class="flex h-[60px] items-center min-[760px]:h-[76px]">
        <Brand />
      </div>
      <ol aria-label={t('steps')} class="grid gap-5 max-[759px]:hidden">
        <For each={stages}>
          {([title, note], index) => (
            <li class="grid grid-cols-[22px_1fr] gap-x-3" aria-current={index() === props.current ? 'step' : undefined}>
              <span
                class="num row-span-2 grid size-[22px] place-items-center rounded-full border-[1.5px] text-[12px] font-semibold"
                classList={{
                  'border-accent bg-accent text-on-accent': index() < props.current,
                  'border-accent text-accent': index() === props.current,
                  'border-control text-ink-3': index() > props.current,
                }}
              >
                <Show when={index() < props.current} fallback={index() + 1}>
                  <Icon name="check" small />
                </Show>
              </span>
              <b class="font-medium" classList={{ 'text-ink-3': index() > props.current }}>
                {t(title)}
              </b>
              <span class="hint">{t(note)}</span>
            </li>
          )}
        </For>
      </ol>
      <p class="hint absolute bottom-7 max-[759px]:hidden">{t('later')}</p>
    </aside>
  )
}
