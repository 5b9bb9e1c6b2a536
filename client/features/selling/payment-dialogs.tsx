import { createSignal } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { SelectField, SwitchField, TextField, UnitField } from '#client/ui/console/form.tsx'
import type { CreditRow } from '#shared/console/selling'
import { t } from './messages.ts'

/** Posts a payment by hand, as a payment system would. */
export function PaymentDialog(props: { onDone(): void; onClose(): void }) {
  const [reference, setReference] = createSignal('')
  const [of, setOf] = createSignal('user')
  const [whom, setWhom] = createSignal('')
  const [amount, setAmount] = createSignal('')
  const [reason, setReason] = createSignal('')
  const write = createWrite()
  const submit = () =>
    write.run(async () => {
      const fields = { reference: reference().trim(), amount: amount().trim(), ...(reason().trim() !== '' && { reason: reason().trim() }) }
      await callApi('POST', '/api/credits', { ...fields, [of()]: whom().trim() })
      props.onDone()
    })
  const wrong = (...fields: string[]) => errorAt(write.error(), ...fields)
  return (
    <FormDialog title={t('addCredit')} intro={t('creditIntro')} go={t('post')} write={write} onSubmit={submit} onClose={props.onClose}>
      <TextField
        label={t('reference')}
        mono
        required
        maxlength={200}
        value={reference()}
        error={wrong('reference')}
        onChange={setReference}
      />
      <SelectField
        label={t('to')}
        value={of()}
        options={[
          { value: 'user', label: t('toUser') },
          { value: 'team', label: t('toTeam') },
        ]}
        onChange={setOf}
      />
      <TextField label={t('whom')} required value={whom()} error={wrong('user', 'team')} onChange={setWhom} />
      <UnitField label={t('amount')} unit={t('usd')} value={amount()} error={wrong('amount')} onChange={setAmount} />
      <TextField label={t('reason')} maxlength={500} value={reason()} error={wrong('reason')} onChange={setReason} />
    </FormDialog>
  )
}

/** Refunds a payment, in part or whole. */
export function RefundDialog(props: { of: CreditRow; onDone(): void; onClose(): void }) {
  const [amount, setAmount] = createSignal('')
  const [partial, setPartial] = createSignal(false)
  // The same for every attempt of this dialog, so that a retry does not refund twice.
  const reference = `refund-${crypto.randomUUID()}`
  const write = createWrite()
  const submit = () =>
    write.run(async () => {
      await callApi('POST', '/api/credits/refund', {
        ...{ reference, of: props.of.reference },
        ...(amount().trim() !== '' && { amount: amount().trim() }),
        ...(partial() && { partial: true }),
      })
      props.onDone()
    })
  return (
    <FormDialog
      title={t('refundTitle', { reference: props.of.reference })}
      intro={t('refundIntro')}
      go={t('refundGo')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <UnitField
        label={t('refundAmount')}
        unit={t('usd')}
        placeholder={props.of.amount}
        value={amount()}
        error={errorAt(write.error(), 'amount')}
        onChange={setAmount}
      />
      <SwitchField label={t('partial')} on={partial()} onChange={setPartial} />
    </FormDialog>
  )
}
