/** Settings of the installation: each with its default and its effect; saved together. */
import { createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { errorAt } from '#client/console/explain.ts'
import { type Cause, errorAtCause, fallbacksOf } from '#client/console/fallback-lines.ts'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { createDraft, createWrite } from '#client/console/write.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { NoMatch } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import { showFault } from '#client/ui/keep-focus.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { SettingsRow } from '#shared/console/settings'
import { createCurrentSection } from './current-section.ts'
import { DangerCard } from './danger-card.tsx'
import type { Editing } from './editing.tsx'
import { EnvironmentCard } from './environment-card.tsx'
import { causeLabels } from './file-fallbacks.tsx'
import { KeptBodiesCard } from './kept-bodies-card.tsx'
import { t } from './messages.ts'
import { reviewOf } from './review.ts'
import { RoutingCard } from './routing-card.tsx'
import { BannerCard, FallbacksCard, KeepingCard, ModelsCard, QuotasCard, SharingCard } from './setting-cards.tsx'
import { SignInCard } from './sign-in-card.tsx'
import './settings.css'
import { countIn, matching, type Section, sectionLabels } from './setting-list.ts'
import { changesBetween, defaultsOf, draftOf, patchOf } from './settings-draft.ts'

const partLabels = {
  moderationModel: 'moderation',
  fallbacks: 'fallbacks',
  balancing: 'balancing',
  checkMinutes: 'checkMinutes',
  keepLogsMonths: 'keepMonths',
  bodies: 'bodies',
  banner: 'banner',
  shareLinks: 'shareLinks',
  requireSecondFactor: 'requireSecondFactor',
  secondFactorAfterProvider: 'secondFactorAfterProvider',
  quotas: 'quotas',
} as const
const cards = {
  models: ModelsCard,
  fallbacks: FallbacksCard,
  routing: RoutingCard,
  keeping: KeepingCard,
  bodies: KeptBodiesCard,
  banner: BannerCard,
  sharing: SharingCard,
  signIn: SignInCard,
  quotas: QuotasCard,
} as const satisfies Record<Section, unknown>

/** `/admin/settings` */
export function SettingsPage() {
  const settings = createLoad(
    () => '/api/settings',
    (path, signal) => callApi<SettingsRow>('GET', path, undefined, signal),
  )
  return (
    <Page
      title={t('title')}
      actions={
        <a class="btn ghost" href="/api/export" download="parley.yaml" rel="external" title={t('exportWhy')}>
          <Icon name="download" />
          {t('export')}
        </a>
      }
    >
      <WhenLoaded of={settings}>{(row) => <Form row={row()} onSaved={settings.set} />}</WhenLoaded>
    </Page>
  )
}

function Form(props: { row: SettingsRow; onSaved(row: SettingsRow): void }) {
  const url = useUrlState()
  const session = useSession()
  const [draft, setDraft] = createDraft(() => props.row, draftOf)
  const [variables, setVariables] = createSignal(true)
  const [badLines, setBadLines] = createSignal<Cause[]>([])
  const write = createWrite()
  const changes = () => changesBetween(draftOf(props.row), draft())
  const changedOnly = () => url.get('only') === 'changed'
  const shown = () => matching(props.row, url.get('q'), changedOnly())
  const sections = () => (Object.keys(cards) as Section[]).filter((section) => countIn(section, shown()) > 0)
  const current = createCurrentSection(() => [...sections(), ...(variables() ? ['environment'] : [])].map(idOf))
  const mark = (name: string) => (current() === idOf(name) ? ('location' as const) : undefined)
  const finds = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(url.get('q').toLowerCase()))
  const editing: Editing = {
    get row() {
      return props.row
    },
    get draft() {
      return draft()
    },
    set: (change) => setDraft({ ...draft(), ...change }),
    shows: (name) => shown().has(name),
    wrong: (field) => errorAt(write.error(), field),
    wrongLines: (cause) => (badLines().includes(cause) ? t('badLine') : errorAtCause(write.error(), cause)),
  }
  const badText = () =>
    badLines()[0] &&
    `${badLines()
      .map((cause) => t(causeLabels[cause]))
      .join(', ')}: ${t('badLine')}`
  const save = async () => {
    const fallbacks = fallbacksOf(draft().fallbacks)
    setBadLines([])
    if (fallbacks.wrong.length > 0) {
      write.clear()
      showFault(() => setBadLines(fallbacks.wrong))
      announceError(badText() ?? '')
      return
    }
    const patch = patchOf(draft(), changes(), fallbacks.found)
    if (!(await write.run(async () => props.onSaved(await callApi<SettingsRow>('PATCH', '/api/settings', patch))))) return
    showToast(t('saved'))
    // Loads the new banner.
    if ('banner' in patch) void session.refresh()
  }
  return (
    <>
      <p class="mb-4 max-w-[80ch] text-[13px] text-ink-2">
        {t('effect')}{' '}
        <a class="underline" href="/admin/audit?action=settings">
          {t('history')}
        </a>
      </p>
      <div class="filters">
        <SearchField label={t('find')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <span class="flex-1" />
        <label class="check">
          <input
            type="checkbox"
            checked={changedOnly()}
            onChange={(event) => url.set({ only: event.currentTarget.checked ? 'changed' : '' })}
          />
          <span>{t('changedOnly')}</span>
        </label>
      </div>
      <div class="settings">
        <nav class="settings-nav" aria-label={t('sections')}>
          <For each={sections()}>
            {(section) => (
              <button type="button" aria-current={mark(section)} onClick={() => goTo(section)}>
                <span class="min-w-0 flex-1">{t(sectionLabels[section])}</span>
                <span class="num text-ink-3">{countIn(section, shown())}</span>
              </button>
            )}
          </For>
          <Show when={variables()}>
            <button type="button" aria-current={mark('environment')} onClick={() => goTo('environment')}>
              {t(sectionLabels.environment)}
            </button>
          </Show>
        </nav>
        <form
          class="form wide"
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          <For each={sections()}>
            {(section) => {
              const Fields = cards[section]
              return <Fields editing={editing} />
            }}
          </For>
          <section id={idOf('environment')}>
            <EnvironmentCard finds={finds} setOnly={changedOnly()} onFound={setVariables} />
          </section>
          <Show when={url.get('q') === '' && !changedOnly()}>
            <DangerCard
              isUsual={changesBetween(draft(), defaultsOf(props.row)).length === 0}
              onReset={() => setDraft(defaultsOf(props.row))}
            />
          </Show>
        </form>
      </div>
      <Show when={sections().length === 0 && !variables()}>
        <Show when={url.get('q') !== ''} fallback={<p class="hint">{t('nothingChanged')}</p>}>
          <NoMatch filters={url.get('q')} onClear={() => url.set({ q: '', only: '' })} />
        </Show>
      </Show>
      <SaveBar
        changes={changes().map((name) => t(partLabels[name]))}
        review={() => reviewOf(draftOf(props.row), draft())}
        busy={write.busy()}
        error={badText() ?? write.unshown()}
        onSave={() => void save()}
        onDiscard={() => {
          write.clear()
          setBadLines([])
          setDraft(draftOf(props.row))
        }}
      />
    </>
  )
}

const idOf = (section: string) => `settings-${section}`

/** Scrolls to a section of the page and focuses it. */
function goTo(name: string): void {
  const section = document.getElementById(idOf(name))
  section?.scrollIntoView({ block: 'start' })
  section?.querySelector<HTMLElement>('input, select, textarea, button, summary, a')?.focus({ preventScroll: true })
}
