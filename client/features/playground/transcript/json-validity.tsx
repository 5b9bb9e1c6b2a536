import { createMemo, Show } from 'solid-js'
import type { Reply } from '#client/features/playground/conversation/conversation.ts'
import type { Settings } from '#client/features/playground/conversation/settings.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { Icon } from '#client/ui/icon.tsx'
import { checkJsonReply } from './json-check.ts'

/** A badge that shows whether the reply is valid, when JSON was requested. */
export function JsonValidity(props: { reply: Reply; settings: Settings }) {
  const verdict = createMemo(() => (props.settings.output === 'text' ? undefined : checkJsonReply(props.reply.text, props.settings)))
  return (
    <Show when={props.reply.text !== '' && verdict()}>
      {(found) => (
        <p class="mt-3">
          <span class="bdg" classList={{ ok: found().ok, bad: !found().ok }}>
            <Icon name={found().ok ? 'check' : 'alert'} small />
            {found().ok ? t(props.settings.output === 'schema' ? 'schemaValid' : 'jsonValid') : t('jsonInvalid', { where: found().where })}
          </span>
        </p>
      )}
    </Show>
  )
}
