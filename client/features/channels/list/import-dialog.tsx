import { createMemo, createSignal, For, Show } from 'solid-js'
import { type ApiError, callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { asApiError } from '#client/console/load.ts'
import { vendorCard } from '#client/console/vendors.ts'
import { t } from '#client/features/channels/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { type PastedChannel, pastedChannels } from './channel-import.ts'

/** Imports channels from JSON. Their keys are entered here; refused channels stay, with the reason. */
export function ImportDialog(props: { onDone(): void; onClose(): void }) {
  const [text, setText] = createSignal('')
  const [keys, setKeys] = createSignal<Record<string, string>>({})
  const [made, setMade] = createSignal<readonly string[]>([])
  const [refused, setRefused] = createSignal<Record<string, ApiError>>({})
  const [busy, setBusy] = createSignal(false)
  const pasted = createMemo(() => pastedChannels(text()))
  const left = () => (pasted() ?? []).filter(({ name }) => !made().includes(name))
  const create = async (channel: PastedChannel) => {
    const given = (keys()[channel.name] ?? '').split(/\s+/).filter(Boolean)
    try {
      await callApi('POST', '/api/channels', { ...channel, ...(given.length > 0 && { keys: given }) })
      setMade([...made(), channel.name])
    } catch (thrown) {
      setRefused({ ...refused(), [channel.name]: asApiError(thrown) })
    }
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy() || left().length === 0) return
    setBusy(true)
    setRefused({})
    const before = made().length
    for (const channel of left()) await create(channel)
    setBusy(false)
    if (made().length > before) showToast(t('imported', { count: made().length - before }))
    if (left().length === 0) props.onDone()
  }
  return (
    <Dialog
      wide
      title={t('importTitle')}
      intro={t('importIntro')}
      onClose={() => (made().length > 0 ? props.onDone() : props.onClose())}
      buttons={
        <>
          <Button onClick={() => (made().length > 0 ? props.onDone() : props.onClose())}>{tc('cancel')}</Button>
          <Button
            type="submit"
            form="import-channels"
            look="primary"
            busy={busy()}
            aria-disabled={left().length === 0 ? 'true' : undefined}
          >
            {left().length === 0 ? t('import') : t('importGo', { count: left().length })}
          </Button>
        </>
      }
    >
      <form id="import-channels" class="form" onSubmit={(event) => void submit(event)}>
        <AreaField
          label={t('importText')}
          mono
          rows={6}
          value={text()}
          error={text().trim() !== '' && pasted() === undefined ? t('importNone') : undefined}
          onChange={setText}
        />
        <For each={left()}>
          {(channel) => (
            <div>
              <AreaField
                label={t('importKeys', { name: channel.name })}
                hint={`${vendorCard(channel.vendor)?.title ?? channel.vendor} · ${t('importModels', { count: channel.models.length })}`}
                mono
                rows={1}
                value={keys()[channel.name] ?? ''}
                error={refused()[channel.name] && explain(refused()[channel.name] as ApiError)}
                onChange={(value) => setKeys({ ...keys(), [channel.name]: value })}
              />
            </div>
          )}
        </For>
        <Show when={made().length > 0}>
          <p class="text-[13px] text-ink-2" role="status">
            {t('imported', { count: made().length })}
          </p>
        </Show>
      </form>
    </Dialog>
  )
}
