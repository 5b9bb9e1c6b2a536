/** One's own account: password, sessions, quotas, and what this browser keeps. */
import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { KeptDeletion } from '#client/console/kept-deletion.tsx'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { Segments } from '#client/ui/console/filters.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card, Page } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { timeZone } from '#client/ui/console/time.ts'
import { formatBytes, formatCount, formatMoney } from '#client/ui/format.ts'
import { changeLanguage, type Language, language, languages } from '#client/ui/language.ts'
import { later } from '#client/ui/later.ts'
import { setTheme, theme, themes } from '#client/ui/theme.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { QuotaRow } from '#shared/console/quota'
import { forgetEverything, sizeKept } from './browser-data.ts'
import { FactorsCard } from './factors-card.tsx'
import { IdentitiesCard } from './identities-card.tsx'
import { ManagementKeysCard } from './management-keys-card.tsx'
import { t } from './messages.ts'
import { PlanCard } from './plan-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const themeLabels = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const

/** `/account` */
export function AccountPage() {
  const { user } = useSession()
  const quotas = createLoad(
    () => '/api/quotas',
    (path, signal) => callApi<{ data: QuotaRow[] }>('GET', path, undefined, signal),
  )
  return (
    <Page title={t('title')}>
      <div class="stack max-w-[860px]">
        <Card title={t('who')}>
          <Facts
            facts={[
              [t('name'), user().name],
              [t('role'), t(`role_${user().role}`)],
              [t('groups'), user().groups.join(', ')],
              [
                t('balance'),
                Number(user().held) > 0
                  ? t('held', { balance: formatMoney(user().balance), held: formatMoney(user().held) })
                  : formatMoney(user().balance),
              ],
            ]}
          />
        </Card>
        <PlanCard />
        <PasswordCard />
        <FactorsCard />
        <IdentitiesCard />
        <SessionsCard />
        <ManagementKeysCard />
        <Card title={t('quotas')}>
          <Show when={quotas.error()}>{(error) => <Failure text={explain(error())} detail={detailOf(error())} />}</Show>
          <div class="num">
            <Facts
              facts={(quotas.value()?.data ?? []).map((row) => [
                t(`q_${row.name}`),
                row.used === null
                  ? t('quotaMost', { most: formatCount(row.most) })
                  : t('quotaUsed', { used: formatCount(row.used), most: formatCount(row.most) }),
              ])}
            />
          </div>
        </Card>
        <Card title={t('keptRequests')}>
          <KeptDeletion of={{ user: user().id }} name={user().name} />
        </Card>
        <BrowserCard />
      </div>
    </Page>
  )
}

function PasswordCard() {
  const { user } = useSession()
  const [old, setOld] = createSignal('')
  const [fresh, setFresh] = createSignal('')
  const write = createWrite()
  const code = () => write.error()?.code
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(await write.run(() => callApi('PATCH', '/api/session/password', { old: old(), new: fresh() })))) return
    setOld('')
    setFresh('')
    showToast(t('changed'))
  }
  const other = () => {
    const error = write.error()
    return error && !['invalid_credentials', 'weak_password'].includes(error.code) && error.param !== 'new' ? explain(error) : undefined
  }
  return (
    <Card title={t('password')}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {/* Password managers want to know whose password it is. */}
        <input hidden type="text" autocomplete="username" readonly value={user().name} />
        <div class="two">
          <TextField
            label={t('old')}
            type="password"
            autocomplete="current-password"
            required
            value={old()}
            error={code() === 'invalid_credentials' ? t('wrongOld') : undefined}
            onChange={setOld}
          />
          <TextField
            label={t('fresh')}
            hint={t('freshHint')}
            type="password"
            autocomplete="new-password"
            required
            value={fresh()}
            error={code() === 'weak_password' ? t('weak') : write.error()?.param === 'new' ? explain(write.error() as never) : undefined}
            onChange={setFresh}
          />
        </div>
        <Show when={other()}>{(text) => <p class="notice bad">{text()}</p>}</Show>
        <div>
          <Button type="submit" busy={write.busy()}>
            {t('change')}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function BrowserCard() {
  const [asking, setAsking] = createSignal(false)
  const size = createLoad(() => true, sizeKept)
  const forget = async () => {
    setAsking(false)
    await forgetEverything()
    await size.reload()
    showToast(t('forgotten'))
  }
  return (
    <Card title={t('looks')}>
      <div class="stack">
        <div class="flex flex-wrap gap-4">
          <Segments
            label={t('language')}
            value={language()}
            options={Object.entries(languages).map(([value, label]) => ({ value: value as Language, label }))}
            onChange={(value) => void changeLanguage(value)}
          />
          <Segments
            label={t('theme')}
            value={theme()}
            options={themes.map((value) => ({ value, label: t(themeLabels[value]) }))}
            onChange={setTheme}
          />
        </div>
        <p class="text-[13px] text-ink-2">{t('zone', { zone: timeZone() })}</p>
        <div class="flex flex-wrap items-center gap-3 text-[13px]">
          <span class="min-w-0 flex-1 text-ink-2">{t('keptWhy', { size: formatBytes(size.value() ?? 0) })}</span>
          <Button look="bad" onClick={() => setAsking(true)}>
            {t('forget')}
          </Button>
        </div>
      </div>
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={t('forgetTitle')}
            intro={t('forgetIntro')}
            safe={tc('cancel')}
            go={t('forgetGo')}
            onClose={() => setAsking(false)}
            onGo={() => void forget()}
          />
        </Show>
      </Suspense>
    </Card>
  )
}
