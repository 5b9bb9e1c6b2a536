/** Settings of the installation: each with its default and its effect; saved together. */
import { createEffect, createSignal, For, on, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, errorAt, explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { AreaField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { Failure, NoMatch, Skeleton } from '#client/ui/console/states.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatCount } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { SettingsPatch, SettingsRow } from '#shared/console/settings'
import { t } from './messages.ts'
import './settings.css'
import { causes, changesBetween, draftOf, fallbacksOf, quotaNames, type SettingsDraft } from './settings-draft.ts'

const causeLabels = { error: 'afterError', context: 'afterContext', filter: 'afterFilter' } as const
const partLabels = { moderationModel: 'moderation', fallbacks: 'fallbacks', keepLogsMonths: 'keepMonths', quotas: 'quotas' } as const

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
    quotas: finds(t('quotas'), ...quotaNames.map((name) => t(name))),
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
      <form
        class="form wide"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Show when={shown().models}>
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
        </Show>
        <Show when={shown().fallbacks}>
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
        </Show>
        <Show when={shown().keeping}>
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
        </Show>
        <Show when={shown().quotas}>
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
        </Show>
      </form>
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

/** The fallbacks that parley.yaml declares, read-only. */
function FileFallbacks(props: { row: SettingsRow }) {
  const lists = (model: string) =>
    causes.flatMap((cause) => {
      const names = props.row.fallbacks[model]?.[cause]
      return names ? [`${t(causeLabels[cause])}: ${names.join(', ')}`] : []
    })
  return (
    <ul>
      <For each={props.row.managedByFile.fallbacks}>
        {(model) => (
          <li class="list-line">
            <span class="min-w-0 flex-1">
              <b class="mono">{model}</b>
              <small>{lists(model).join('; ')}</small>
            </span>
            <FileBadge />
          </li>
        )}
      </For>
    </ul>
  )
}
