import { createSignal } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { formatAgo } from '#client/ui/console/time.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { KeyRow } from '#shared/console/key'
import { setFreshSecret } from './fresh-secret.ts'
import { t } from './messages.ts'

const overlaps = ['0', '1', '24', '168', '720'] as const

/** Gives the key a new secret; the old one keeps working for the chosen time. */
export function RotateDialog(props: { row: KeyRow; onDone(): void; onClose(): void }) {
  const [hours, setHours] = createSignal<(typeof overlaps)[number]>('24')
  const write = createWrite()
  const go = async () => {
    const done = await write.run(async () => {
      const path = `/api/keys/${encodeURIComponent(props.row.id)}/rotate`
      const row = await callApi<KeyRow & { key: string }>('POST', path, { overlapHours: Number(hours()) })
      setFreshSecret({ id: row.id, name: row.name, secret: row.key, previousUntil: row.previousUntil })
    })
    if (done) props.onDone()
  }
  return (
    <Dialog
      title={t('rotateTitle', { name: props.row.name })}
      intro={t('rotateIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button look="primary" busy={write.busy()} onClick={() => void go()}>
            {t('rotate')}
          </Button>
        </>
      }
    >
      <SelectField
        label={t('overlap')}
        value={hours()}
        options={overlaps.map((value) => ({ value, label: t(`overlap${value}`) }))}
        onChange={(value) => setHours(overlaps.find((one) => one === value) ?? '24')}
      />
      <Refusal of={write} class="mt-3" />
    </Dialog>
  )
}

/** Revokes the key, after warning what will stop working. */
export function RevokeDialog(props: { row: KeyRow; onDone(): void; onClose(): void }) {
  const write = createWrite()
  const used = () => {
    const { lastUsedAt, lastUsedFrom } = props.row
    if (lastUsedAt === null) return t('revokeUnused')
    return lastUsedFrom === null
      ? t('revokeUsedNowhere', { when: formatAgo(lastUsedAt) })
      : t('revokeUsed', { when: formatAgo(lastUsedAt), from: lastUsedFrom })
  }
  const go = async () => {
    const done = await write.run(() => callApi('DELETE', `/api/keys/${encodeURIComponent(props.row.id)}`))
    if (!done) return
    showToast(t('revoked', { name: props.row.name }))
    props.onDone()
  }
  return (
    <Dialog
      title={t('revokeTitle', { name: props.row.name })}
      intro={used()}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button look="bad primary" busy={write.busy()} onClick={() => void go()}>
            {t('revokeGo', { name: props.row.name })}
          </Button>
        </>
      }
    >
      <Refusal of={write} />
    </Dialog>
  )
}
