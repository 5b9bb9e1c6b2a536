import { createSignal } from 'solid-js'
import { readError, send } from '#client/api/http.ts'
import { ts } from '#client/console/messages.ts'
import { createWrite } from '#client/console/write.ts'
import { Facts } from '#client/ui/console/facts.tsx'
import { TextField, UnitField } from '#client/ui/console/form.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import { formatUsd, parseUsd } from '#shared/money'
import { FormDialog } from './form-dialog.tsx'

/** Posts a credit or a correction to the wallet of a user or a team: shows the balance before and after. */
export function CreditDialog<Row extends { id: string; name: string; balance: string }>(props: {
  of: 'user' | 'team'
  row: Row
  onDone(row: Row): void
  onClose(): void
}) {
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
  const submit = async () => {
    setTouched(true)
    const value = nano()
    if (value === undefined || value === 0n) return
    await write.run(async () => {
      const body = JSON.stringify({ amount: formatUsd(value), reason: reason().trim() })
      const response = await send('POST', `/api/${props.of}s/${encodeURIComponent(props.row.id)}/credit`, body, undefined, {
        'idempotency-key': key,
      })
      if (!response.ok) throw await readError(response)
      const row = (await response.json()) as Row
      showToast(ts('creditPosted', { name: row.name, balance: formatMoney(row.balance) }))
      props.onDone(row)
    })
  }
  return (
    <FormDialog
      title={ts('creditTitle', { name: props.row.name })}
      intro={ts(`creditIntro_${props.of}`)}
      go={ts('creditPost')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <UnitField
        label={ts('creditAmount')}
        unit={ts('usd')}
        value={amount()}
        error={touched() && !nano() ? ts('creditBadAmount') : undefined}
        onChange={setAmount}
      />
      <TextField label={ts('creditReason')} hint={ts('creditReasonHint')} value={reason()} required maxlength={500} onChange={setReason} />
      <div class="num">
        <Facts
          facts={[
            [ts('creditNow'), formatMoney(props.row.balance)],
            [ts('creditAfter'), nano() === undefined ? '–' : formatMoney(formatUsd(parseUsd(props.row.balance) + (nano() ?? 0n)))],
          ]}
        />
      </div>
    </FormDialog>
  )
}
