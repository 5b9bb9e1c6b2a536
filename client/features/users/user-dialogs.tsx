import { createSignal } from 'solid-js'
import { callApi, readError, send } from '#client/api/http.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { TextField, UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { AccountRow } from '#shared/console/user'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'
import { draftOf, fieldsOf } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'

/** Adds a user. */
export function AddUserDialog(props: { onDone(row: AccountRow): void; onClose(): void }) {
  const [draft, setDraft] = createSignal(draftOf())
  const [opening, setOpening] = createSignal('')
  const write = createWrite()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    await write.run(async () => {
      const balance = opening().trim() === '' ? {} : { balance: opening().trim() }
      const row = await callApi<AccountRow>('POST', '/api/users', { ...fieldsOf(draft()), ...balance })
      showToast(t('added', { name: row.name }))
      props.onDone(row)
    })
  }
  return (
    <Dialog
      wide
      title={t('addTitle')}
      intro={t('addIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="add-user" look="primary" busy={write.busy()}>
            {t('add')}
          </Button>
        </>
      }
    >
      <form id="add-user" class="form" onSubmit={(event) => void submit(event)}>
        <UserFields draft={draft()} error={write.error()} fresh onChange={setDraft} />
        <UnitField label={t('opening')} unit={t('usd')} value={opening()} onChange={setOpening} />
        <Refusal of={write} />
      </form>
    </Dialog>
  )
}

/** Posts a credit or a correction: shows the balance before and after. */
export function CreditDialog(props: { row: AccountRow; onDone(row: AccountRow): void; onClose(): void }) {
  const [amount, setAmount] = createSignal('')
  const [reason, setReason] = createSignal('')
  // The same for every attempt of this dialog, so that a retry does not post twice.
  const key = crypto.randomUUID()
  const write = createWrite()
  const nano = () => {
    try {
      return parseUsd(amount().trim().replace(/^\+/, ''))
    } catch {
      return undefined
    }
  }
  const [touched, setTouched] = createSignal(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setTouched(true)
    const value = nano()
    if (value === undefined || value === 0n) return
    await write.run(async () => {
      const body = JSON.stringify({ amount: formatUsd(value), reason: reason().trim() })
      const response = await send('POST', `/api/users/${encodeURIComponent(props.row.id)}/credit`, body, undefined, {
        'idempotency-key': key,
      })
      if (!response.ok) throw await readError(response)
      const row = (await response.json()) as AccountRow
      showToast(t('posted', { name: row.name, balance: formatMoney(row.balance) }))
      props.onDone(row)
    })
  }
  return (
    <Dialog
      title={t('creditTitle', { name: props.row.name })}
      intro={t('creditIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="credit" look="primary" busy={write.busy()}>
            {t('post')}
          </Button>
        </>
      }
    >
      <form id="credit" class="form" onSubmit={(event) => void submit(event)}>
        <UnitField
          label={t('amount')}
          unit={t('usd')}
          value={amount()}
          error={touched() && !nano() ? t('badAmount') : undefined}
          onChange={setAmount}
        />
        <TextField label={t('reason')} hint={t('reasonHint')} value={reason()} required maxlength={500} onChange={setReason} />
        <div class="num">
          <Facts
            facts={[
              [t('before'), formatMoney(props.row.balance)],
              [t('after'), nano() === undefined ? '–' : formatMoney(formatUsd(parseUsd(props.row.balance) + (nano() ?? 0n)))],
            ]}
          />
        </div>
        <Refusal of={write} />
      </form>
    </Dialog>
  )
}

/** Deletes a user, after their name was typed. */
export function RemoveUserDialog(props: { row: AccountRow; onDone(): void; onClose(): void }) {
  const [typed, setTyped] = createSignal('')
  const write = createWrite()
  const allowed = () => typed().trim() === props.row.name
  const go = async () => {
    if (!allowed() || !(await write.run(() => callApi('DELETE', `/api/users/${encodeURIComponent(props.row.id)}`)))) return
    showToast(t('removed', { name: props.row.name }))
    props.onDone()
  }
  return (
    <Dialog
      title={t('removeTitle', { name: props.row.name })}
      intro={t('removeIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button look="bad primary" busy={write.busy()} aria-disabled={allowed() ? undefined : 'true'} onClick={() => void go()}>
            {t('removeGo', { name: props.row.name })}
          </Button>
        </>
      }
    >
      <div class="stack">
        <TextField label={t('removeType')} value={typed()} onChange={setTyped} />
        <Refusal of={write} />
      </div>
    </Dialog>
  )
}
