/** The user's own account: password, sessions, quotas, and data stored in this browser. */
import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { KeptDeletion } from '#client/console/kept-deletion.tsx'
import { SessionsCard } from '#client/console/lists/sessions-card.tsx'
import { createLoad } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { Combo } from '#client/ui/console/combo-field.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { Segments } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card, Page } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { formatBytes, formatCount, formatMoney } from '#client/ui/format.ts'
import { changeLanguage, type Language, language, languages } from '#client/ui/language.ts'
import { later } from '#client/ui/later.ts'
import { setTheme, theme, themes } from '#client/ui/theme.ts'
import { browserZone, chooseTimeZone, chosenZone, timeZones } from '#client/ui/time-zone.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { QuotaRow } from '#shared/console/quota'
import { forgetEverything, sizeKept } from './browser-data.ts'
import { FactorsCard } from './factors-card.tsx'
import { IdentitiesCard } from './identities-card.tsx'
import { Line } from './line.tsx'
import { ManagementKeysCard } from './management-keys-card.tsx'
import { t } from './messages.ts'
import { PlanCard } from './plan-card.tsx'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const PasswordDialog = later(async () => (await import('./password-dialog.tsx')).PasswordDialog)
const themeLabels = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const

/** `/account` */
export function AccountPage() {
  const { user } = useSession()
  const [changing, setChanging] = createSignal(false)
  const quotas = createLoad(
    () => '/api/quotas',
    (path, signal) => callApi<{ data: QuotaRow[] }>('GET', path, undefined, signal),
  )
  return (
    <Page title={t('title')}>
      <div class="stack max-w-[760px]">
        <Stats
          label={t('who')}
          stats={[
            { label: t('name'), value: <span class="wrap-anywhere">{user().name}</span>, note: t(`role_${user().role}`) },
            {
              label: t('balance'),
              value: <span title={`$${user().balance}`}>{formatMoney(user().balance)}</span>,
              note: Number(user().held) > 0 ? t('held', { held: formatMoney(user().held) }) : undefined,
            },
            { label: t('groups'), value: <span class="wrap-anywhere text-[14px]/[24px] font-medium">{user().groups.join(', ')}</span> },
          ]}
        />
        <Card title={t('signIn')} bare>
          <Line icon="lock" title={t('password')} hint={t('passwordWhy')}>
            <Button onClick={() => setChanging(true)}>{t('change')}</Button>
          </Line>
        </Card>
        <FactorsCard />
        <IdentitiesCard />
        <SessionsCard path="/api/sessions" title={t('sessions')} />
        <LooksCard />
        <PlanCard />
        <ManagementKeysCard />
        <Card title={t('quotas')}>
          <Show when={quotas.error()}>{(error) => <Failure text={explain(error())} detail={detailOf(error())} />}</Show>
          <div class="num">
            <Facts
              long
              facts={(quotas.value()?.data ?? []).map((row) => {
                const format = row.name.endsWith('Bytes') ? formatBytes : formatCount
                const most = format(row.most)
                return [
                  t(`q_${row.name}`),
                  row.used === null ? t('quotaMost', { most }) : t('quotaUsed', { used: row.used === 0 ? '0' : format(row.used), most }),
                ]
              })}
            />
          </div>
        </Card>
        <Card title={t('keptRequests')}>
          <KeptDeletion of={{ user: user().id }} name={user().name} />
        </Card>
        <BrowserCard />
      </div>
      <Suspense>
        <Show when={changing()}>
          <PasswordDialog onClose={() => setChanging(false)} />
        </Show>
      </Suspense>
    </Page>
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
    <Card title={t('kept')} bare>
      <Line title={t('looks')} hint={t('keptWhy', { size: formatBytes(size.value() ?? 0) })}>
        <Button look="bad" onClick={() => setAsking(true)}>
          {t('forget')}
        </Button>
      </Line>
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

function LooksCard() {
  const ownZone = () => t('zoneBrowser', { zone: browserZone })
  return (
    <Card title={t('looksTitle')} bare>
      <Line title={t('theme')} hint={t('looks')}>
        <Segments
          label={t('theme')}
          value={theme()}
          options={themes.map((value) => ({ value, label: t(themeLabels[value]) }))}
          onChange={setTheme}
        />
      </Line>
      <Line title={t('language')} hint={t('looks')}>
        <Segments
          label={t('language')}
          value={language()}
          options={Object.entries(languages).map(([value, label]) => ({ value: value as Language, label }))}
          onChange={(value) => void changeLanguage(value)}
        />
      </Line>
      <Line title={t('zoneTitle')} hint={t('zone')}>
        <span class="w-[280px] max-w-full">
          <Combo
            label={t('zoneTitle')}
            value={chosenZone() || ownZone()}
            options={[ownZone(), ...timeZones()]}
            onChange={(zone) => chooseTimeZone(zone === ownZone() ? '' : zone)}
          />
        </span>
      </Line>
    </Card>
  )
}
