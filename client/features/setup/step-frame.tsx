import type { JSX } from 'solid-js'
import { t } from './messages.ts'

/** The frame of a step: title, introduction, fields, and the buttons below. */
export function StepFrame(props: { title: string; intro: string; step: number; buttons: JSX.Element; children: JSX.Element }) {
  return (
    <>
      <h1 class="text-[20px]/[28px] tracking-[-0.02em] min-[760px]:text-[24px]/[32px]">{props.title}</h1>
      <p class="mt-1 mb-6 max-w-[56ch] text-ink-2">{props.intro}</p>
      {props.children}
      <div class="mt-7 flex flex-wrap items-center gap-3">
        {props.buttons}
        <span class="flex-1" />
        <span class="text-[12px] text-ink-3">{t('stepOf', { step: props.step, count: 4 })}</span>
      </div>
    </>
  )
}
