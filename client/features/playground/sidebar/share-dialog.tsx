import { createResource, createSignal, For, Show } from 'solid-js'
import { ApiError, callApi } from '#client/api/http.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { Button, IconButton } from '#client/ui/button.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { formatDateTime } from '#client/ui/format.ts'
import type { Page } from '#shared/console/model'
import type { ShareRow } from '#shared/console/user'
import { exportJson, openBranch } from './conversation-files.ts'

const days = [1, 7, 30, 365] as const

/** Creates a link to a copy of a conversation that anyone can read, and ends existing links. */
export function ShareDialog(props: { page: PageContext; onClose(): void }) {
  const { playground, view } = props.page
  const conversation = () => playground.library.get(view.shared() ?? '')
  const [lasts, setLasts] = createSignal<number>(7)
  const [busy, setBusy] = createSignal(false)
  const [wrong, setWrong] = createSignal('')
  const [links, { mutate }] = createResource(async () => {
    try {
      return (await callApi<Page<ShareRow>>('GET', '/api/shares?limit=200')).data
    } catch (thrown) {
      setWrong(explain(thrown))
      return undefined
    }
  })
  const make = async () => {
    const one = conversation()
    if (one === undefined || busy()) return
    setBusy(true)
    setWrong('')
    try {
      const messages = openBranch({ conversation: one, messages: await playground.library.messages(one.id) })
      const text = exportJson([{ conversation: { ...one, draft: '' }, messages }])
      const link = await callApi<ShareRow>('POST', '/api/shares', { title: one.title || t('untitled'), text, days: lasts() })
      mutate((before) => [link, ...(before ?? [])])
      await copyWithNotice(addressOf(link))
    } catch (thrown) {
      setWrong(explain(thrown))
    } finally {
      setBusy(false)
    }
  }
  const end = async (link: ShareRow) => {
    try {
      await callApi('DELETE', `/api/shares/${encodeURIComponent(link.id)}`)
      mutate((before) => before?.filter((one) => one.id !== link.id))
    } catch (thrown) {
      setWrong(explain(thrown))
    }
  }
  return (
    <Dialog
      wide
      title={t('shareTitle', { title: conversation()?.title ?? '' })}
      intro={t('shareIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{t('shareClose')}</Button>
          <Show when={links()}>
            <Button look="primary" busy={busy()} onClick={() => void make()}>
              {t('shareMake')}
            </Button>
          </Show>
        </>
      }
    >
      <Show when={wrong()}>
        <p class="notice bad mb-3" role="alert">
          {wrong()}
        </p>
      </Show>
      <Show when={links()}>
        {(made) => (
          <>
            <label class="flex items-center gap-2 text-[13px]">
              {t('shareFor')}
              <select class="in w-auto!" value={lasts()} onChange={(event) => setLasts(Number(event.currentTarget.value))}>
                <For each={days}>{(count) => <option value={count}>{t('shareDays', { count })}</option>}</For>
              </select>
            </label>
            <Show when={made().length > 0}>
              <h3 class="mt-4 mb-1 text-[13px] font-semibold">{t('shareLinks')}</h3>
              <ul class="grid gap-1 text-[13px]">
                <For each={made()}>
                  {(link) => (
                    <li class="flex items-center gap-1">
                      <span class="min-w-0 flex-1">
                        <a class="block truncate underline" href={addressOf(link)} target="_blank" rel="noopener">
                          {link.title}
                        </a>
                        <span class="hint block">{t('shareUntil', { when: formatDateTime(Date.parse(link.expiresAt)) })}</span>
                      </span>
                      <IconButton
                        name="copy"
                        label={t('shareCopy', { title: link.title })}
                        onClick={() => void copyWithNotice(addressOf(link))}
                      />
                      <IconButton name="trash" label={t('shareEnd', { title: link.title })} onClick={() => void end(link)} />
                    </li>
                  )}
                </For>
              </ul>
            </Show>
          </>
        )}
      </Show>
    </Dialog>
  )
}

const addressOf = ({ id }: ShareRow): string => `${location.origin}/share/${id}`

/** The error message when creating a link fails. */
function explain(thrown: unknown): string {
  const code = thrown instanceof ApiError ? thrown.code : ''
  if (code === 'not_permitted') return t('shareOff')
  if (code === 'request_too_large') return t('shareTooLarge')
  if (code === 'quota_exceeded') return t('shareFull')
  return code === 'offline' ? t('shareOffline') : t('shareFailed')
}
