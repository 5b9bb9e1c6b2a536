/** Opens a kept request as a playground conversation. Nothing is sent: its last question becomes the draft. */
import { useNavigate } from '@solidjs/router'
import { createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import type { OpenedRequest } from '#client/features/playground/conversation/from-request.ts'
import { Button } from '#client/ui/button.tsx'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { KeptBody } from '#shared/console/body'
import type { LogRow } from '#shared/console/log'
import { t } from './messages.ts'

/** The conversation to open, and what it lacks of the request. */
interface Found {
  opened: OpenedRequest
  /** Fields, each with a reason where one is known. */
  missing: (readonly [field: string, reason?: string])[]
  isBlanked: boolean
}

/** For a request without kept bodies: why it cannot be opened, and where to keep future ones. */
export function NotKept(props: { row: LogRow }) {
  return (
    <DrawerPart title={t('keptTitle')}>
      <p class="mb-3 text-[13px] text-ink-2" id="not-kept">
        {t('keptNot')}{' '}
        <Show when={props.row.key}>
          {(name) => (
            <a class="underline" href={`/keys?q=${encodeURIComponent(name())}`}>
              {t('keptTurnOn', { key: name() })}
            </a>
          )}
        </Show>
      </p>
      <Button icon="chat" aria-disabled="true" aria-describedby="not-kept">
        {t('playgroundOpen')}
      </Button>
    </DrawerPart>
  )
}

/** The button, and the dialog that lists what the playground does not support. */
export function OpenInPlayground(props: { id: string }) {
  const navigate = useNavigate()
  const { user } = useSession()
  const write = createWrite()
  const [found, setFound] = createSignal<Found>()
  const [refused, setRefused] = createSignal<'playgroundNone' | 'playgroundNoStore'>()

  const look = () =>
    write.run(async () => {
      setRefused(undefined)
      const kept = await callApi<KeptBody>('GET', `/api/bodies/${encodeURIComponent(props.id)}?as=chat`)
      if (!kept.chat) return void setRefused('playgroundNone')
      const { fromRequest } = await import('#client/features/playground/conversation/from-request.ts')
      const opened = fromRequest(kept.chat.body, Date.now())
      const lost = kept.chat.losses.map(({ field, reason }) => [field, reason] as const)
      const one: Found = { opened, missing: [...lost, ...opened.leftOut.map((field) => [field] as const)], isBlanked: kept.redacted }
      if (one.missing.length > 0 || one.isBlanked) return void setFound(one)
      await open(one)
    })

  async function open({ opened: { conversation, messages } }: Found): Promise<void> {
    const { openStore } = await import('#client/features/playground/conversation/store.ts')
    const store = await openStore(user().id)
    try {
      // An in-memory store is lost with this page.
      if (!store.durable) return void setRefused('playgroundNoStore')
      await store.saveMessages(messages)
      await store.saveConversations([conversation])
    } finally {
      store.close()
    }
    navigate(`/c/${encodeURIComponent(conversation.id)}`)
  }

  return (
    <>
      <Button icon="chat" busy={write.busy()} onClick={() => void look()}>
        {t('playgroundOpen')}
      </Button>
      <Show when={refused()}>
        {(why) => (
          <p class="notice w-full" role="status">
            {t(why())}
          </p>
        )}
      </Show>
      <Show when={write.error()}>{(error) => <p class="notice bad w-full">{explain(error())}</p>}</Show>
      <Show when={found()}>
        {(one) => (
          <Dialog
            title={t('playgroundOpen')}
            intro={one().missing.length > 0 ? t('playgroundMissing') : t('keptRedacted')}
            onClose={() => setFound(undefined)}
            buttons={
              <>
                <Button onClick={() => setFound(undefined)}>{tc('cancel')}</Button>
                <Button look="primary" onClick={() => void write.run(() => open(one())).then(() => setFound(undefined))}>
                  {t('playgroundAnyway')}
                </Button>
              </>
            }
          >
            <ul class="grid gap-1 text-[13px]">
              <For each={one().missing}>
                {([field, reason]) => (
                  <li>
                    <code>{field}</code> <span class="text-ink-2">{reason}</span>
                  </li>
                )}
              </For>
            </ul>
            <Show when={one().isBlanked && one().missing.length > 0}>
              <p class="text-[13px] text-ink-2">{t('keptRedacted')}</p>
            </Show>
          </Dialog>
        )}
      </Show>
    </>
  )
}
