import { createMemo, createSignal, createUniqueId, For, Match, Show, Switch } from 'solid-js'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import type { Trace } from '#client/features/playground/reply/trace.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Panel, whileOpen } from '#client/ui/panel.tsx'
import { EventLog } from './event-log.tsx'
import { RawText } from './raw-text.tsx'
import { RequestPreview } from './request-preview.tsx'

const tabs = ['preview', 'request', 'response', 'events'] as const
type Tab = (typeof tabs)[number]
const tabLabel: Record<Tab, MessageKey> = { preview: 'tabPreview', request: 'tabRequest', response: 'tabResponse', events: 'tabEvents' }

/** What goes over the wire: the next request, the last one as sent, the response, and every event with its timing. */
export function InspectorPanel(props: { page: PageContext; beside: boolean; open: boolean }) {
  const { playground, view } = props.page
  const id = createUniqueId()
  const [tab, setTab] = createSignal<Tab>('preview')
  const isOpen = () => props.open
  const replyId = whileOpen(isOpen, () => {
    const chosen = view.inspected()
    const of = (id: string | undefined | null) =>
      playground.path().findLast((one) => one.role === 'assistant' && (id === null || one.id === id))
    return (of(chosen) ?? of(null))?.id
  })
  // Always notifies: the trace stays the same object for every event.
  const trace = createMemo(
    (before: Trace | undefined) => {
      const reply = replyId()
      if (!props.open) return before
      return reply === undefined ? undefined : playground.replies.trace(reply)
    },
    undefined,
    { equals: false },
  )
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs[(tabs.indexOf(tab()) + step + tabs.length) % tabs.length] ?? 'preview'
    setTab(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <Panel
      open={props.open}
      title={t('inspector')}
      closeLabel={t('closeInspector')}
      wide
      beside={props.beside}
      takesFocus={view.panelOpenedByUser()}
      onClose={() => view.setPanel(null)}
    >
      <div class="tabs" role="tablist" aria-label={t('inspector')} onKeyDown={walk}>
        <For each={tabs}>
          {(name) => (
            <button
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={tab() === name}
              aria-controls={`${id}-body`}
              tabindex={tab() === name ? 0 : -1}
              onClick={() => setTab(name)}
            >
              {t(tabLabel[name])}
              <Show when={name === 'events' && trace()?.count}>{(count) => <span class="num text-ink-3"> {count()}</span>}</Show>
            </button>
          )}
        </For>
      </div>
      <div id={`${id}-body`} role="tabpanel" aria-labelledby={`${id}-${tab()}`} class="flex min-h-0 flex-1 flex-col">
        <Switch>
          <Match when={tab() === 'preview'}>
            <RequestPreview page={props.page} open={props.open} />
          </Match>
          <Match when={trace() === undefined}>
            <p class="sec hint">{t('noTrace')}</p>
          </Match>
          <Match when={tab() === 'request'}>
            <RawText
              label={t('tabRequest')}
              head={['POST /pg/chat/completions', 'content-type: application/json', `cookie: ${t('masked')}`]}
              text={trace()?.request ?? ''}
            />
          </Match>
          <Match when={tab() === 'response'}>
            <RawText
              label={t('tabResponse')}
              head={[String(trace()?.status ?? t('noAnswer')), ...(trace()?.headers ?? []).map(([name, value]) => `${name}: ${value}`)]}
              text={responseText(trace()?.body, () => trace()?.events() ?? [])}
            />
          </Match>
          <Match when={tab() === 'events'}>
            <EventLog trace={trace()} />
          </Match>
        </Switch>
      </div>
    </Panel>
  )
}

/** The raw answer: its JSON body, or the data of all kept events. */
function responseText(body: unknown, events: () => { data: string }[]): string {
  if (body !== undefined) return JSON.stringify(body, null, 2)
  return events()
    .map((event) => `data: ${event.data}\n`)
    .join('\n')
}
