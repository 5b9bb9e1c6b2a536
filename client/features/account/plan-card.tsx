/** The user's plan with what is left of it, and the form for redeeming codes, for the user or a team they manage. */
import { createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { lengthOf } from '#client/console/plan-length.ts'
import { LoadFailure } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField, TextField } from '#client/ui/console/form.tsx'
import { Meter } from '#client/ui/console/meter.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { formatBoth, formatWhen } from '#client/ui/console/time.ts'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { PlanState, PlanWindowLeft, Redeemed } from '#shared/console/selling'
import type { TeamRow } from '#shared/console/team'
import { t } from './messages.ts'

/** The card. */
export function PlanCard() {
  const session = useSession()
  const [code, setCode] = createSignal('')
  const [team, setTeam] = createSignal('')
  const state = createLoad(
    () => (team() === '' ? '/api/plan' : `/api/plan?team=${encodeURIComponent(team())}`),
    (path, signal) => callApi<PlanState>('GET', path, undefined, signal),
  )
  const teams = createLoad(
    () => '/api/teams',
    async (path, signal) => (await readAll<TeamRow>(path, signal)).filter(({ role }) => role === 'owner' || role === 'manager'),
  )
  const write = createWrite()
  const redeem = async () => {
    await write.run(async () => {
      const body = { code: code(), ...(team() !== '' && { team: team() }) }
      const { value, plan } = await callApi<Redeemed>('POST', '/api/codes/redeem', body)
      const said = [
        Number(value) > 0 && t('redeemedValue', { amount: formatMoney(value) }),
        plan && t('redeemedPlan', { name: plan.name, until: formatWhen(plan.until) }),
      ]
      showToast(said.filter(Boolean).join(' '))
      setCode('')
      void session.refresh()
      void state.reload()
    })
  }
  const wrong = () => {
    const error = write.error()
    if (error?.code === 'invalid_code') return t('badCode')
    if (error?.code === 'code_used') return t('usedCode')
    if (error?.code === 'plan_running') return t('runningPlan')
    return error && explain(error)
  }
  return (
    <Card title={t('redeemTitle')}>
      <div class="stack">
        <LoadFailure of={state} />
        <Show when={state.value()}>
          {(now) => (
            <Show when={now().plan} fallback={<p class="text-[13px] text-ink-2">{t('planNone')}</p>}>
              {(plan) => (
                <section class="grid gap-3" aria-label={plan().name}>
                  <p>
                    <b class="font-medium">{plan().name}</b>{' '}
                    <span class="text-ink-2" title={formatBoth(plan().until)}>
                      {t('planUntil', { until: formatWhen(plan().until) })}
                    </span>
                  </p>
                  <ul class="grid gap-3">
                    <For each={plan().windows}>{(window) => <Left window={window} />}</For>
                  </ul>
                </section>
              )}
            </Show>
          )}
        </Show>
        <form
          class="grid gap-3 min-[760px]:grid-cols-[minmax(0,1fr)_auto_auto]"
          onSubmit={(event) => {
            event.preventDefault()
            void redeem()
          }}
        >
          <TextField
            label={t('redeemCode')}
            hint={t('redeemHint')}
            mono
            required
            maxlength={100}
            value={code()}
            error={wrong()}
            onChange={setCode}
          />
          <Show when={(teams.value()?.length ?? 0) > 0}>
            <SelectField
              label={t('redeemFor')}
              value={team()}
              options={[{ value: '', label: t('redeemMe') }, ...(teams.value() ?? []).map(({ id, name }) => ({ value: id, label: name }))]}
              onChange={setTeam}
            />
          </Show>
          {/* Aligned with the fields, below their labels. */}
          <div class="min-[760px]:pt-6">
            <Button type="submit" busy={write.busy()}>
              {t('redeem')}
            </Button>
          </div>
        </form>
      </div>
    </Card>
  )
}

function Left(props: { window: PlanWindowLeft }) {
  const share = () => {
    const [left, amount] = [Number(props.window.left), Number(props.window.amount)]
    return amount > 0 ? Math.min(1, Math.max(0, 1 - left / amount)) : 1
  }
  return (
    <li class="grid gap-1 text-[13px]">
      <span class="flex flex-wrap justify-between gap-x-3">
        <span class="font-medium">{lengthOf(props.window.every)}</span>
        <span class="num">{t('leftOf', { left: formatMoney(props.window.left), amount: formatMoney(props.window.amount) })}</span>
      </span>
      <Meter share={share()} label={t('used', { share: formatPercent(share(), 0) })} />
      <span class="hint" title={props.window.renewsAt === null ? undefined : formatBoth(props.window.renewsAt)}>
        {props.window.renewsAt === null ? t('renewsNot') : t('renews', { when: formatWhen(props.window.renewsAt) })}
      </span>
    </li>
  )
}
