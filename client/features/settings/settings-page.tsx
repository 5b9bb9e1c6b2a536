/** Settings of the installation: each with its default and its effect; saved together. */
import { createEffect, createSignal, For, on, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, errorAt, explain } from '#client/console/explain.ts'
import { causes, fallbacksOf } from '#client/console/fallback-lines.ts'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { AreaField, SwitchField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { Failure, NoMatch, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatCount } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { SettingsPatch, SettingsRow } from '#shared/console/settings'
import { EnvironmentCard } from './environment-card.tsx'
import { causeLabels, FileFallbacks } from './file-fallbacks.tsx'
import { t } from './messages.ts'
import './settings.css'
import { changesBetween, draftOf, quotaNames, type SettingsDraft } from './settings-draft.ts'

const partLabels = {
  moderationModel: 'moderation',
  fallbacks: 'fallbacks',
  keepLogsMonths: 'keepMonths',
  shareLinks: 'shareLinks',
  quotas: 'quotas',
} as const
const sectionLabels = {
  models: 'general',
  fallbacks: 'fallbacks',
  keeping: 'keeping',
  sharing: 'sharing',
  quotas: 'quotas',
  environment: 'environment',
} as const

/** `/admin/settings` */
export function SettingsPage() {
  const settings = createLoad(
    () => '/api/settings',
    (path, signal) => callApi<SettingsRow>('GET', path, undefined, signal),
  )
  return (
    <Page title={t('title')}>
      <Show
        when={settings.value()}
        fallback={
          <Show when={settings.error()} fallback={<Skeleton />}>
            {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void settings.reload()} />}
          </Show>
        }
      >
        {(row) => <Form row={row()} onSaved={settings.set} />}
      </Show>
    </Page>
  )
}

function Form(props: { row: SettingsRow; onSaved(row: SettingsRow): void }) {
  const url = useUrlState()
  const [draft, setDraft] = createSignal<SettingsDraft>(draftOf(props.row))
  const [variables, setVariables] = createSignal(true)
  const [badLine, setBadLine] = createSignal(false)
  const write = createWrite()
  createEffect(
    on(
      () => props.row,
      (row) => setDraft(draftOf(row)),
      { defer: true },
    ),
  )
  const changes = () => changesBetween(draftOf(props.row), draft())
  const finds = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(url.get('q').toLowerCase()))
  const shown = () => ({
    models: finds(t('moderation'), t('moderationHint')),
    fallbacks: finds(t('fallbacks'), t('fallbacksHint'), t('afterError'), t('afterContext'), t('afterFilter')),
    keeping: finds(t('keepMonths'), t('keepMonthsHint'), t('keeping')),
    sharing: finds(t('sharing'), t('shareLinks'), t('shareLinksHint')),
    quotas: finds(t('quotas'), ...quotaNames.map((name) => t(name))),
    environment: variables(),
  })
  /** Where the value comes from, unless it is the default. */
  const mark = (name: string, holds = true) =>
    holds && props.row.changed.includes(name) ? <span class="bdg changed">{t('fromConsole')}</span> : undefined
  const save = async () => {
    const fallbacks = fallbacksOf(draft().fallbacks)
    setBadLine(fallbacks === undefined)
    if (fallbacks === undefined) return
    const whole: SettingsPatch = {
      moderationModel: draft().moderationModel.trim(),
      fallbacks,
      keepLogsMonths: draft().keepLogsMonths.trim() === '' ? null : Number(draft().keepLogsMonths),
      shareLinks: draft().shareLinks,
      quotas: Object.fromEntries(quotaNames.map((name) => [name, Number(draft().quotas[name])])),
    }
    const patch = Object.fromEntries(changes().map((name) => [name, whole[name]]))
    if (await write.run(async () => props.onSaved(await callApi<SettingsRow>('PATCH', '/api/settings', patch)))) showToast(t('saved'))
  }
  return (
    <>
      <div class="filters">
        <SearchField label={t('find')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
      </div>
      <div class="settings">
        <nav class="settings-nav" aria-label={t('sections')}>
          <For each={(Object.keys(sectionLabels) as (keyof typeof sectionLabels)[]).filter((name) => shown()[name])}>
            {(name) => (
              <button type="button" onClick={() => goTo(name)}>
                {t(sectionLabels[name])}
              </button>
            )}
          </For>
        </nav>
        <form
          class="form wide"
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          <Show when={shown().models}>
            <section id="settings-models">
              <Card title={t('general')} bare>
                <div class="setting-rows">
                  <TextField
                    label={t('moderation')}
                    hint={`${t('moderationHint')} ${t('usual', { value: props.row.defaults.moderationModel })}`}
                    mono
                    mark={mark('moderationModel')}
                    value={draft().moderationModel}
                    error={errorAt(write.error(), 'moderationModel')}
                    onChange={(moderationModel) => setDraft({ ...draft(), moderationModel })}
                  />
                </div>
              </Card>
            </section>
          </Show>
          <Show when={shown().fallbacks}>
            <section id="settings-fallbacks">
              <Card title={t('fallbacks')} bare>
                <p class="hint px-4 pb-3">{t('fallbacksHint')}</p>
                <FileFallbacks row={props.row} />
                <div class="setting-rows border-t border-line">
                  {causes.map((cause) => (
                    <AreaField
                      label={t(causeLabels[cause])}
                      hint={t('usual', { value: t('noneSet') })}
                      mono
                      rows={3}
                      mark={mark('fallbacks', draftOf(props.row).fallbacks[cause] !== '')}
                      value={draft().fallbacks[cause]}
                      error={badLine() ? t('badLine') : errorAt(write.error(), 'fallbacks')}
                      onChange={(text) => setDraft({ ...draft(), fallbacks: { ...draft().fallbacks, [cause]: text } })}
                    />
                  ))}
                </div>
              </Card>
            </section>
          </Show>
          <Show when={shown().keeping}>
            <section id="settings-keeping">
              <Card title={t('keeping')} bare>
                <div class="setting-rows">
                  <UnitField
                    label={t('keepMonths')}
                    hint={`${t('keepMonthsHint')} ${t('usual', { value: t('forEver') })}`}
                    unit={t('months')}
                    placeholder={t('forEver')}
                    mark={mark('keepLogsMonths')}
                    value={draft().keepLogsMonths}
                    error={errorAt(write.error(), 'keepLogsMonths')}
                    onChange={(keepLogsMonths) => setDraft({ ...draft(), keepLogsMonths })}
                  />
                </div>
              </Card>
            </section>
          </Show>
          <Show when={shown().sharing}>
            <section id="settings-sharing">
              <Card title={t('sharing')} bare>
                <div class="setting-rows">
                  <div class="switched" classList={{ changed: props.row.changed.includes('shareLinks') }}>
                    <SwitchField
                      label={t('shareLinks')}
                      hint={`${t('shareLinksHint')} ${t('usual', { value: t('off') })}`}
                      on={draft().shareLinks}
                      onChange={(shareLinks) => setDraft({ ...draft(), shareLinks })}
                    />
                    {mark('shareLinks')}
                  </div>
                </div>
              </Card>
            </section>
          </Show>
          <Show when={shown().quotas}>
            <section id="settings-quotas">
              <Card title={t('quotas')} bare>
                <p class="hint px-4 pb-3">{t('quotasHint')}</p>
                <div class="setting-rows border-t border-line">
                  {quotaNames.map((name) => (
                    <UnitField
                      label={t(name)}
                      hint={t('usual', { value: formatCount(props.row.defaults.quotas[name]) })}
                      unit={name === 'conversationBytes' ? t('bytes') : ''}
                      mark={mark(`quotas.${name}`)}
                      value={draft().quotas[name]}
                      error={errorAt(write.error(), `quotas.${name}`)}
                      onChange={(value) => setDraft({ ...draft(), quotas: { ...draft().quotas, [name]: value } })}
                    />
                  ))}
                </div>
              </Card>
            </section>
          </Show>
          <section id="settings-environment">
            <EnvironmentCard finds={finds} onFound={setVariables} />
          </section>
        </form>
      </div>
      <Show when={!Object.values(shown()).some(Boolean)}>
        <NoMatch filters={url.get('q')} onClear={() => url.set({ q: '' })} />
      </Show>
      <SaveBar
        changes={changes().map((name) => t(partLabels[name]))}
        busy={write.busy()}
        error={write.error() && explain(write.error() as never)}
        onSave={() => void save()}
        onDiscard={() => {
          write.clear()
          setBadLine(false)
          setDraft(draftOf(props.row))
        }}
      />
    </>
  )
}

/** Puts a section of the page in sight, and the keyboard's focus into it. */
function goTo(name: string): void {
  const section = document.getElementById(`settings-${name}`)
  section?.scrollIntoView({ block: 'start' })
  section?.querySelector<HTMLElement>('input, textarea, button, summary, a')?.focus({ preventScroll: true })
}
