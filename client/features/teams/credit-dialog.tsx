import { createSignal } from 'solid-js'
import { readError, send } from '#client/api/http.ts'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField, UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { TeamRow } from '#shared/console/team'
import { t } from './messages.ts'

/** Posts a credit or a correction to the wallet of a team. */
export function CreditDialog(props: { team: TeamRow; onDone(row: TeamRow): void; onClose(): void }) {
  const [amount, setAmount] = createSignal('')
  const [reason, setReason] = createSignal('')
  // The same for every attempt of this dialog, so that a retry does not post twice.
  const key = crypto.randomUUID()
  const write = createWrite()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    await write.run(async () => {
      const body = JSON.stringify({ amount: amount().trim().replace(/^\+/, ''), reason: reason().trim() })
      const path = `/api/teams/${encodeURIComponent(props.team.id)}/credit`
      const response = await send('POST', path, body, undefined, { 'idempotency-key': key })
      if (!response.ok) throw await readError(response)
      const row = (await response.json()) as TeamRow
      showToast(t('posted', { name: row.name, balance: formatMoney(row.balance) }))
      props.onDone(row)
    })
  }
  return (
    <Dialog
      title={t('creditTitle', { name: props.team.name })}
      intro={t('creditIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="credit" look="primary" busy={write.busy()}>
            {t('creditGo')}
          </Button>
        </>
      }
    >
      <form id="credit" class="form" onSubmit={(event) => void submit(event)}>
        <UnitField
          label={t('amount')}
          unit={t('usd')}
          value={amount()}
          error={errorAt(write.error(), 'amount') && t('badAmount')}
          onChange={setAmount}
        />
        <TextField label={t('reason')} value={reason()} required maxlength={500} onChange={setReason} />
        <Refusal of={write} />
      </form>
    </Dialog>
  )
}
