import { createMemo, createSignal, Show } from 'solid-js'
import { createDialectPreference, DialectChoice, DialectNotes } from '#client/features/playground/dialects/dialect-choice.tsx'
import { endpointOf } from '#client/features/playground/dialects/endpoint.ts'
import { createRewrittenRequest, type PreviewDialect } from '#client/features/playground/dialects/rewritten-request.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { beginningOf, buildBody, type ChatBody } from '#client/features/playground/reply/request-body.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Button } from '#client/ui/button.tsx'
import { whileOpen } from '#client/ui/panel.tsx'
import { RawText, shownChars } from './raw-text.tsx'

/** The next request as it will be sent, live, or in another dialect, or edited by hand. */
export function RequestPreview(props: { page: PageContext; open: boolean }) {
  const { playground } = props.page
  let left = false
  const [dialect, setDialect] = createDialectPreference()
  const built = whileOpen(
    () => props.open,
    (): ChatBody | undefined => {
      const of = playground.target()
      if (of === null) return undefined
      const draft = playground.conversation().draft
      const next = { id: 'next', conversation: '', parent: null, at: 0, role: 'user' as const, text: draft || t('yourMessage') }
      try {
        const model = playground.catalogue.model(of.group, of.model)
        return buildBody(of, playground.conversation().settings, [...playground.path(), next], model)
      } catch {
        return undefined
      }
    },
  )
  const textOf = (body: ChatBody | undefined) => {
    if (body !== undefined) return JSON.stringify(body, null, 2)
    return playground.target() === null ? '' : t('failSettingsDetail')
  }
  const whole = () => textOf(built())
  // Only as much of a long conversation as is shown.
  const shown = createMemo(() => textOf(beginningOf(built(), shownChars)))
  return (
    <Show when={playground.rawRequest() === null} fallback={<RawEditor page={props.page} onLeave={() => (left = true)} />}>
      <div class="border-b border-line px-4 py-2">
        <DialectChoice dialect={dialect()} onChoose={setDialect} />
      </div>
      <Show when={dialect() === 'chat'} fallback={<OtherPreview body={built()} dialect={dialect()} />}>
        <RawText label={t('previewNote')} head={['POST /pg/chat/completions']} text={shown()} whole={whole} />
        <div class="border-t border-line px-4 py-2.5">
          <Button
            size="sm"
            icon="edit"
            ref={(button) => {
              // The editor was left by keyboard, and its buttons are gone.
              if (left) setTimeout(() => button.focus())
              left = false
            }}
            onClick={() => playground.setRawRequest(whole())}
          >
            {t('editRaw')}
          </Button>
        </div>
      </Show>
    </Show>
  )
}

/** The same request as a program would send it in another dialect, and what that dialect cannot express. */
function OtherPreview(props: { body: ChatBody | undefined; dialect: PreviewDialect }) {
  const rewritten = createRewrittenRequest(
    () => props.body,
    () => props.dialect,
  )
  const shown = createMemo(() => {
    const now = rewritten()
    if (props.body === undefined || now.state !== 'ready') return undefined
    const call = { dialect: now.dialect, model: props.body.model, stream: props.body.stream === true }
    return { head: [`POST ${endpointOf(call)}`], text: JSON.stringify(now.body, null, 2) }
  })
  return (
    <>
      <div class="max-h-[40%] overflow-auto empty:hidden *:m-3">
        <DialectNotes rewritten={rewritten()} dialect={props.dialect} />
      </div>
      <Show when={props.body === undefined}>
        <p class="sec hint">{t('failSettingsDetail')}</p>
      </Show>
      <Show when={shown()}>{(one) => <RawText label={t('otherPreviewNote')} head={one().head} text={one().text} />}</Show>
    </>
  )
}

/** `onLeave` is called before one of its own buttons closes it. */
function RawEditor(props: { page: PageContext; onLeave(): void }) {
  const { playground, actions } = props.page
  const [text, setText] = createSignal(playground.rawRequest() ?? '')
  const valid = createMemo(() => {
    try {
      return typeof JSON.parse(text()) === 'object'
    } catch {
      return false
    }
  })
  const send = () => {
    const of = playground.target()
    if (!valid() || of === null || playground.running()) return
    props.onLeave()
    actions.sendByHand(text(), t('rawRequest'))
  }
  const discard = () => {
    props.onLeave()
    playground.setRawRequest(null)
  }
  return (
    <>
      <div class="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <span class="bdg warn">{t('rawOn')}</span>
        <span class="hint flex-1">{t('rawNote')}</span>
      </div>
      <textarea
        class="min-h-0 flex-1 resize-none max-[759px]:min-h-[38dvh] bg-code px-4 py-3 font-mono text-[12px]/[18px] outline-offset-[-2px]"
        spellcheck={false}
        aria-label={t('editRaw')}
        ref={(editor) => setTimeout(() => editor.focus())}
        aria-invalid={valid() ? undefined : 'true'}
        value={text()}
        onInput={(event) => {
          setText(event.currentTarget.value)
          playground.setRawRequest(event.currentTarget.value)
        }}
      />
      <div class="flex items-center gap-2 border-t border-line px-4 py-2.5">
        <Button look="primary" size="sm" aria-disabled={valid() ? undefined : 'true'} onClick={send}>
          {t('sendRaw')}
        </Button>
        <Button look="ghost" size="sm" onClick={discard}>
          {t('backToForm')}
        </Button>
        <Show when={!valid()}>
          <span class="wrong">{t('notJson')}</span>
        </Show>
      </div>
    </>
  )
}
