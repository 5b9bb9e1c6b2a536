/** Alert destinations: each can be tested, switched off, changed and removed. */
import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createWrite } from '#client/console/write.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Empty, Refusal } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { later } from '#client/ui/later.ts'
import { Switch } from '#client/ui/switch.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { AlertHookRow, AlertTestAnswer } from '#shared/console/alert'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** The table of destinations. `onChanged`: they have to be reloaded. */
export function Places(props: { rows: readonly AlertHookRow[] | undefined; onChanged(): void }) {
  const [removing, setRemoving] = createSignal<AlertHookRow>()
  const [testing, setTesting] = createSignal<string>()
  const [refused, setRefused] = createSignal<string>()
  const write = createWrite()
  const path = (row: AlertHookRow) => `/api/alerts/hooks/${encodeURIComponent(row.id)}`
  const refuse = (text: string) => {
    setRefused(text)
    announceError(text)
  }
  const test = async (row: AlertHookRow) => {
    if (write.busy()) return
    setTesting(row.id)
    setRefused(undefined)
    await write.run(async () => {
      const { ok, answer } = await callApi<AlertTestAnswer>('POST', `${path(row)}/test`)
      if (ok) showToast(t('tested', { name: row.name, answer }))
      else refuse(t('testFailed', { name: row.name, answer }))
    })
    setTesting(undefined)
  }
  const turn = async (row: AlertHookRow, enabled: boolean) => {
    if (await write.run(() => callApi('PATCH', path(row), { enabled })))
      showToast(t(enabled ? 'turnedOn' : 'turnedOff', { name: row.name }))
    props.onChanged()
  }
  const remove = async (row: AlertHookRow) => {
    setRemoving(undefined)
    if (await write.run(() => callApi('DELETE', path(row)))) showToast(t('removed', { name: row.name }))
    props.onChanged()
  }
  return (
    <>
      <Refusal of={write} class="mb-4" />
      <Show when={refused()}>{(text) => <p class="notice bad mb-4">{text()}</p>}</Show>
      <DataTable
        label={t('places')}
        rows={props.rows}
        rowId={(row) => row.id}
        columns={[
          {
            id: 'name',
            label: t('place'),
            card: 'title',
            cell: (row) => (
              <>
                <a href={`/admin/alerts?open=${encodeURIComponent(row.id)}`}>{row.name}</a>
                <small class="mono">{row.address}</small>
              </>
            ),
          },
          { id: 'form', label: t('form'), cell: (row) => t(`form_${row.form}`) },
          {
            id: 'hears',
            label: t('hears'),
            wide: true,
            cell: (row) => (
              <Show when={row.kinds} fallback={t('everything')}>
                {(kinds) => (
                  <span class="whitespace-normal">
                    {kinds()
                      .map((kind, at) => (at === 0 ? t(`kind_${kind}`) : lowerFirst(t(`kind_${kind}`))))
                      .join(t('comma'))}
                  </span>
                )}
              </Show>
            ),
          },
          {
            id: 'on',
            label: t('on'),
            card: 'figure',
            cell: (row) => <Switch label={t('onLabel', { name: row.name })} on={row.enabled} onChange={(on) => void turn(row, on)} />,
          },
          {
            id: 'actions',
            label: t('actions'),
            bare: true,
            right: true,
            card: 'whole',
            cell: (row) => (
              <span class="inline-flex gap-2">
                <Button size="sm" aria-label={t('testOf', { name: row.name })} busy={testing() === row.id} onClick={() => void test(row)}>
                  {t('test')}
                </Button>
                <Button size="sm" look="bad ghost" aria-label={t('removeOf', { name: row.name })} onClick={() => setRemoving(row)}>
                  {t('remove')}
                </Button>
              </span>
            ),
          },
        ]}
        empty={<Empty title={t('noPlaces')}>{t('noPlacesWhy')}</Empty>}
      />
      <Suspense>
        <Show when={removing()}>
          {(row) => (
            <Confirm
              title={t('removeTitle', { name: row().name })}
              intro={t('removeIntro')}
              safe={tc('cancel')}
              go={t('removeGo', { name: row().name })}
              onClose={() => setRemoving(undefined)}
              onGo={() => void remove(row())}
            />
          )}
        </Show>
      </Suspense>
    </>
  )
}

/** Within a sentence. */
const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1)
