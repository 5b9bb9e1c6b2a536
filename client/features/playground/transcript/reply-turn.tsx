import { createMemo, createUniqueId, Show } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import { FailurePanel } from '#client/features/playground/failures/failure-panel.tsx'
import { performNextStep } from '#client/features/playground/failures/next-steps.ts'
import { Prose } from '#client/features/playground/markdown/prose.tsx'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { SpeakerMark } from '#client/ui/brand.tsx'
import { Button } from '#client/ui/button.tsx'
import { formatDateTime, formatTime } from '#client/ui/format.ts'
import { JsonValidity } from './json-validity.tsx'
import { Reasoning } from './reasoning.tsx'
import { goesOn, ReplyActions } from './reply-actions.tsx'
import { ReplyMetrics } from './reply-metrics.tsx'
import { ToolCalls } from './tool-calls.tsx'

/** One reply: reasoning, text, tool calls, failure, figures. `plain` leaves out the actions. */
export function ReplyTurn(props: { page: PageContext; reply: Reply; latest: boolean; plain?: boolean }) {
  const id = createUniqueId()
  const { page } = props
  const running = () => props.reply.state === 'running'
  // While streaming, the reply is a new value every frame; formatting its time each time would be expensive.
  const at = createMemo(() => props.reply.at)
  const time = createMemo(() => formatTime(at()))
  const dateTime = createMemo(() => formatDateTime(at()))
  const answered = createMemo(() => {
    const below = page.playground.library.thread(props.reply.conversation).thread.below(props.reply.id)
    return new Set(below.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  })
  return (
    <article
      class="turn"
      classList={{ live: running() }}
      aria-labelledby={id}
      aria-busy={running() ? 'true' : undefined}
      data-message={props.reply.id}
      data-state={props.reply.state}
      data-latest={props.latest ? '' : undefined}
    >
      <SpeakerMark side="right" />
      <div class="min-w-0">
        <div class="who">
          <SpeakerMark side="right" />
          <h2 id={id} class="truncate text-[13px] font-semibold tracking-normal">
            {revealHiddenCharacters(props.reply.model)}
            <span class="hidden-text">, {time()}</span>
          </h2>
          <time class="tiny text-ink-3" title={dateTime()} aria-hidden="true">
            {time()}
          </time>
          <Show when={!running() && !props.plain}>
            <ReplyActions page={page} reply={props.reply} />
          </Show>
        </div>
        <Reasoning reply={props.reply} running={running()} onCopy={(text) => void copyWithNotice(text)} />
        <Show when={props.reply.text !== '' || running()}>
          <Prose text={props.reply.text} running={running()} />
        </Show>
        <Show when={isBlank(props.reply)}>
          <p class="text-ink-3">{t('emptyReply')}</p>
        </Show>
        <Show when={props.reply.refusal !== ''}>
          <p class="notice mt-3">
            <b class="font-medium">{t('refused')}</b> {props.reply.refusal}
          </p>
        </Show>
        <Show when={props.reply.finish === 'content_filter'}>
          <p class="notice mt-3">{t('filterNote')}</p>
        </Show>
        <ToolCalls
          reply={props.reply}
          running={running()}
          answered={answered()}
          onAnswer={(callId, text) => page.actions.answerTool(props.reply.id, callId, text)}
        />
        <Show when={props.reply.state === 'complete'}>
          <JsonValidity reply={props.reply} settings={page.playground.conversation().settings} />
        </Show>
        <FailurePanel
          reply={props.reply}
          settings={page.playground.conversation().settings}
          latest={props.latest}
          signedOut={page.playground.lostSession()}
          canTrim={props.latest && page.playground.canTrim()}
          onStep={(step, named) => performNextStep(page, props.reply, step, named)}
        />
        <Show when={props.reply.state !== 'failed' || props.reply.text !== ''}>
          <ReplyMetrics reply={props.reply} running={running()} onCopyId={(requestId) => void copyWithNotice(requestId)} />
        </Show>
        <Show when={props.latest && !props.plain && goesOn(props.reply)}>
          <div class="mt-2 flex flex-wrap items-center gap-3">
            <Button size="sm" onClick={() => page.actions.send(t('continuePrompt'))}>
              {t('continueReply')}
            </Button>
            <Show when={props.reply.finish === 'length'}>
              <span class="hint">{t('lengthNote')}</span>
            </Show>
          </div>
        </Show>
      </div>
    </article>
  )
}

/** Whether a reply ended without anything to read. */
const isBlank = ({ state, text, refusal, calls, finish }: Reply): boolean =>
  state === 'complete' && text === '' && refusal === '' && calls.length === 0 && finish !== 'content_filter'
