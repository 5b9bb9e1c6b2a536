import { createMemo, createSignal, For, Show } from 'solid-js'
import type { Reply, ToolCall } from '#client/features/playground/conversation/conversation.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { prettyJson } from '#client/features/playground/text/pretty-json.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { Button } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'

/** Tool calls of a reply. The playground runs no tools: the user types what the tool would return. */
export function ToolCalls(props: {
  reply: Reply
  running: boolean
  answered: ReadonlySet<string>
  onAnswer(callId: string, text: string): void
}) {
  return (
    <For each={props.reply.calls.map((_, index) => index)}>
      {(index) => (
        <Show when={props.reply.calls[index]}>
          {(call) => (
            <Call
              call={call()}
              running={props.running}
              answered={props.answered.has(call().id)}
              onAnswer={(text) => props.onAnswer(call().id, text)}
            />
          )}
        </Show>
      )}
    </For>
  )
}

function Call(props: { call: ToolCall; running: boolean; answered: boolean; onAnswer(text: string): void }) {
  const [result, setResult] = createSignal('')
  const shown = createMemo(() => prettyJson(props.call.arguments))
  const status = () =>
    props.running ? t('callStreaming') : shown().valid ? t(props.answered ? 'callAnswered' : 'callWaits') : t('callBroken')
  return (
    <div class="mt-3 overflow-hidden rounded-card border border-line bg-code text-[13px]/[20px]">
      <div class="flex items-center gap-2 border-b border-line px-3.5 py-1.5 text-ink-2">
        <Icon name="tool" small />
        <b class="font-mono font-medium text-ink">{revealHiddenCharacters(props.call.name) || '…'}</b>
        <span class="flex-1" />
        <span class="hint">{status()}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
      <pre
        class="max-h-[260px] overflow-auto px-3.5 py-2.5"
        tabindex="0"
        role="region"
        aria-label={t('callArguments', { name: props.call.name })}
      >
        {revealHiddenCharacters(shown().text)}
      </pre>
      <Show when={!props.running && !props.answered}>
        <form
          class="grid gap-2 border-t border-line p-3"
          onSubmit={(event) => {
            event.preventDefault()
            props.onAnswer(result())
          }}
        >
          <label class="grid gap-1.5">
            <span class="text-[12px]/[16px] text-ink-3">{t('toolResult')}</span>
            <textarea
              class="in font-mono"
              rows={2}
              spellcheck={false}
              placeholder='{"ok": true}'
              value={result()}
              onInput={(event) => setResult(event.currentTarget.value)}
            />
          </label>
          <Button type="submit" size="sm" class="justify-self-start">
            {t('sendResult')}
          </Button>
        </form>
      </Show>
    </div>
  )
}
