/** Settings of the installation: each with its default and its effect; saved together. */
import { createEffect, createSignal, on, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, errorAt, explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { AreaField, Fieldset, TextField, UnitField } from '#client/ui/console/form.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { Failure, NoMatch, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatCount } from '#client/ui/format.ts'
import { showToast } from '#client/ui/toast.tsx'
import { usualQuotas } from '#shared/console/quota'
import type { SettingsPatch, SettingsRow } from '#shared/console/settings'
import { t } from './messages.ts'
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
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Show when={shown().models}>
          <Fieldset title={t('general')}>
            <TextField
              label={t('moderation')}
              hint={t('moderationHint')}
              mono
              value={draft().moderationModel}
              error={errorAt(write.error(), 'moderationModel')}
              onChange={(moderationModel) => setDraft({ ...draft(), moderationModel })}
            />
          </Fieldset>
        </Show>
        <Show when={shown().fallbacks}>
          <Fieldset title={t('fallbacks')} hint={t('fallbacksHint')}>
            <Show when={props.row.managedByFile.fallbacks.length > 0}>
              <p class="notice">{t('fromFile', { models: props.row.managedByFile.fallbacks.join(', ') })}</p>
            </Show>
            {causes.map((cause) => (
              <AreaField
                label={t(causeLabels[cause])}
                mono
                rows={3}
                value={draft().fallbacks[cause]}
                error={badLine() ? t('badLine') : errorAt(write.error(), 'fallbacks')}
                onChange={(text) => setDraft({ ...draft(), fallbacks: { ...draft().fallbacks, [cause]: text } })}
              />
            ))}
          </Fieldset>
        </Show>
        <Show when={shown().keeping}>
          <Fieldset title={t('keeping')}>
            <UnitField
              label={t('keepMonths')}
              hint={t('keepMonthsHint')}
              unit={t('months')}
              value={draft().keepLogsMonths}
              error={errorAt(write.error(), 'keepLogsMonths')}
              onChange={(keepLogsMonths) => setDraft({ ...draft(), keepLogsMonths })}
            />
          </Fieldset>
        </Show>
        <Show when={shown().quotas}>
          <Fieldset title={t('quotas')} hint={t('quotasHint')}>
            <div class="two">
              {quotaNames.map((name) => (
                <UnitField
                  label={t(name)}
                  hint={t('usual', { value: formatCount(usualQuotas[name]) })}
                  unit={name === 'conversationBytes' ? t('bytes') : ''}
                  value={draft().quotas[name]}
                  error={errorAt(write.error(), `quotas.${name}`)}
                  onChange={(value) => setDraft({ ...draft(), quotas: { ...draft().quotas, [name]: value } })}
                />
              ))}
            </div>
          </Fieldset>
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
