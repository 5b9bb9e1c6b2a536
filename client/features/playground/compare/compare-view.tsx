import { createMemo, For, type JSX, onCleanup, Show } from 'solid-js'
import { Composer } from '#client/features/playground/composer/composer.tsx'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { ModelChoice } from '#client/features/playground/models/model-choice.tsx'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { speedOf } from '#client/features/playground/transcript/reply-metrics.tsx'
import { ReplyTurn } from '#client/features/playground/transcript/reply-turn.tsx'
import { Button, IconButton } from '#client/ui/button.tsx'
import { formatCount, formatMoney, formatSeconds } from '#client/ui/format.ts'
import { type Column, type Comparison, createComparison, maxColumns } from './comparison.ts'
import { createLinkedScroll, type LinkedScroll } from './linked-scroll.ts'

/** Two to four models side by side on one prompt. One that fails leaves the others alone. */
export function CompareView(props: { page: PageContext }) {
  const { playground, actions, view } = props.page
  const models = createMemo(() => {
    const listed = playground.catalogue.models(playground.group())
    return listed.state === 'ready' ? listed.rows : []
  })
  const { group } = playground
  const first = playground.target()
  const second = models().find((row) => row.id !== first?.model) ?? models()[0]
  const compare = createComparison(playground, actions, [
    ...(first ? [first] : []),
    ...(second ? [{ group: group(), model: second.id }] : []),
  ])
  onCleanup(() => compare.stop())
  const scroll = createLinkedScroll()
  const addColumn = () => {
    const used = new Set(compare.columns().map((column) => column.of.model))
    const next = models().find((row) => !used.has(row.id)) ?? models()[0]
    if (next) compare.add({ group: group(), model: next.id })
  }
  return (
    <>
      <div class="compare" style={{ '--columns': compare.columns().length }}>
        <For each={compare.columns()}>
          {(column, index) => (
            <CompareColumn
              page={props.page}
              compare={compare}
              scroll={scroll}
              column={column}
              number={index() + 1}
              choice={
                <ModelChoice
                  rows={models()}
                  model={column.of.model}
                  group={undefined}
                  onChoose={(model) => compare.choose(column.key, { group: group(), model })}
                />
              }
            />
          )}
        </For>
      </div>
      <div class="dock" id="composer">
        <Composer
          of="compare"
          draft=""
          placeholder={t('askAll', { count: compare.columns().length })}
          running={compare.running()}
          blocked={compare.columns().length < 2 ? t('needTwo') : undefined}
          enterSends={view.enterSends()}
          choices={
            <>
              <Show when={compare.columns().length < maxColumns}>
                <Button look="ghost" icon="plus" onClick={addColumn}>
                  {t('addModel')}
                </Button>
              </Show>
              <Button look="ghost" aria-pressed={scroll.on()} onClick={() => scroll.toggle()}>
                {t('scrollTogether')}
              </Button>
              <Button look="ghost" onClick={() => view.setComparing(false)}>
                {t('endCompare')}
              </Button>
            </>
          }
          onDraft={() => undefined}
          onSend={(text) => compare.send(text)}
          onStop={() => compare.stop()}
          onEditLast={() => undefined}
        />
      </div>
    </>
  )
}

function CompareColumn(props: {
  page: PageContext
  compare: Comparison
  scroll: LinkedScroll
  column: Column
  number: number
  choice: JSX.Element
}) {
  const messages = () => props.compare.messages(props.column)
  const ids = createMemo(() => messages().map((message) => message.id), [], { equals: (a, b) => a.join() === b.join() })
  const last = () => {
    const one = messages().at(-1)
    return one?.role === 'assistant' ? one : undefined
  }
  return (
    <section class="column" aria-label={t('columnOf', { number: props.number, model: props.column.of.model })}>
      <header class="flex items-center gap-1 border-b border-line px-2 py-1.5" data-model={props.column.of.model}>
        {props.choice}
        <span class="flex-1" />
        <Show when={props.compare.columns().length > 2}>
          <IconButton
            name="x"
            label={t('dropColumn', { model: props.column.of.model })}
            onClick={() => props.compare.drop(props.column.key)}
          />
        </Show>
      </header>
      {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
      <div
        ref={(element) => props.scroll.join(element)}
        class="min-h-0 flex-1 overflow-auto p-3"
        tabindex="0"
        role="group"
        aria-label={props.column.of.model}
      >
        <For each={ids()} fallback={<p class="hint">{t('columnEmpty')}</p>}>
          {(id) => {
            const message = () => props.page.playground.message(id)
            const reply = () => {
              const one = message()
              return one?.role === 'assistant' ? one : undefined
            }
            return (
              <Show when={reply()} fallback={<div class="said mb-4">{message()?.text}</div>}>
                {(one) => <ReplyTurn page={props.page} reply={one()} latest={false} plain />}
              </Show>
            )
          }}
        </For>
      </div>
      <Show when={last()}>
        {(reply) => (
          <Metrics
            reply={reply()}
            onPick={() => {
              props.compare.pick(props.column)
              props.page.view.setComparing(false)
            }}
          />
        )}
      </Show>
    </section>
  )
}

function Metrics(props: { reply: Reply; onPick(): void }) {
  return (
    <footer class="foot mt-0! border-t border-line px-3 py-2">
      <span>
        {t('firstToken')} <b>{props.reply.firstTokenMs === null ? '–' : formatSeconds(props.reply.firstTokenMs)}</b>
      </span>
      <span>
        <b>{speedOf(props.reply) === undefined ? '–' : formatCount(speedOf(props.reply) ?? 0)}</b> {t('perSecond')}
      </span>
      <span class="cost">{props.reply.cost === null ? '–' : formatMoney(props.reply.cost)}</span>
      <span class="flex-1" />
      <Show when={props.reply.state === 'complete' || props.reply.state === 'stopped'}>
        <Button size="sm" icon="check" class="font-sans! text-[13px]!" onClick={() => props.onPick()}>
          {t('pickWinner')}
        </Button>
      </Show>
    </footer>
  )
}
