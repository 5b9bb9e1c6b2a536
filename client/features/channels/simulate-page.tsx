/** Who would be asked for a request, and why not the others. The question is in the address. */
import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { SelectField, SwitchField, TextField } from '#client/ui/console/form.tsx'
import { Card, Page } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { formatMoney } from '#client/ui/format.ts'
import type { GroupRow } from '#shared/console/group'
import type { RouteAnswer } from '#shared/console/inspection/route'
import { t } from './messages.ts'

const tool = { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }

/** `/admin/channels/simulate` */
export function SimulatePage() {
  const url = useUrlState()
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const question = () => {
    const model = url.get('model')
    if (model === '') return undefined
    const tools = url.get('tools') === 'yes' ? { tools: [tool] } : {}
    return {
      ...(url.get('key') !== '' && { key: url.get('key') }),
      ...(url.get('group') !== '' && { group: url.get('group') }),
      body: { model, messages: [{ role: 'user', content: 'Hello' }], ...tools },
    }
  }
  const route = createLoad(question, (asked, signal) => callApi<RouteAnswer>('POST', '/api/route', asked, signal))
  const set = (name: string) => (value: string) => url.set({ [name]: value }, { replace: true })
  return (
    <Page title={t('simulate')} above={[{ label: t('title'), href: '/admin/channels' }]}>
      <p class="mb-4 max-w-[64ch] text-ink-2">{t('simIntro')}</p>
      <div class="cols aside">
        {/* What is asked comes first, and stands at the right where there is room. */}
        <div class="min-[961px]:order-1">
          <Card>
            <div class="form">
              <TextField label={t('model')} value={url.get('model')} mono onChange={set('model')} />
              <SelectField
                label={t('group')}
                value={url.get('group')}
                options={[{ value: '', label: t('ownGroup') }, ...(groups.value() ?? []).map(({ name }) => ({ value: name, label: name }))]}
                onChange={set('group')}
              />
              <TextField label={t('simKey')} hint={t('simKeyHint')} value={url.get('key')} onChange={set('key')} />
              <SwitchField label={t('simTools')} on={url.get('tools') === 'yes'} onChange={(on) => set('tools')(on ? 'yes' : '')} />
            </div>
          </Card>
        </div>
        <div class="stack">
          <Show when={route.error()}>{(error) => <Failure text={explain(error())} detail={detailOf(error())} />}</Show>
          <Show when={question() && !route.error() && route.value()}>
            {(answer) => (
              <>
                <Show when={answer().error}>
                  {(error) => (
                    <p class="notice bad">
                      {error().message} <code>{error().code}</code>
                    </p>
                  )}
                </Show>
                <Card
                  title={t('simOrder')}
                  bare
                  tools={
                    <Show when={answer().largestCost}>
                      {(most) => <span class="facts num">{t('simHold', { amount: formatMoney(most()) })}</span>}
                    </Show>
                  }
                >
                  <ol>
                    <For each={answer().candidates} fallback={<li class="list-line">{t('simNobody')}</li>}>
                      {(candidate, at) => (
                        <li class="list-line">
                          <span class="monogram" aria-hidden="true">
                            {at() + 1}
                          </span>
                          <span class="min-w-0 flex-1">
                            <b>{candidate.channel}</b> <span class="text-ink-3">{candidate.key}</span>
                            <small>
                              <code>{candidate.upstreamModel}</code>,{' '}
                              {candidate.native ? t('native') : t('converted', { dialect: candidate.dialect })}
                              <Show when={candidate.losses.length > 0}>, {t('losses', { count: candidate.losses.length })}</Show>
                            </small>
                            <Show when={candidate.refused}>
                              {(why) => <small class="text-bad!">{t('refusedWhy', { message: why().message })}</small>}
                            </Show>
                          </span>
                        </li>
                      )}
                    </For>
                  </ol>
                </Card>
                <Show when={answer().leftOut.length > 0}>
                  <Card title={t('simOthers')} bare>
                    <ul>
                      <For each={answer().leftOut}>
                        {(other) => (
                          <li class="list-line">
                            <span class="shape off" aria-hidden="true" />
                            <span class="min-w-0 flex-1">
                              <b>{other.channel}</b> <span class="text-ink-3">{other.key}</span>
                              <small>{other.reason}</small>
                            </span>
                          </li>
                        )}
                      </For>
                    </ul>
                  </Card>
                </Show>
                <Show when={answer().fallbacks.error.length > 0}>
                  <p class="text-[13px] text-ink-2">{t('simFallback', { models: answer().fallbacks.error.join(', ') })}</p>
                </Show>
              </>
            )}
          </Show>
        </div>
      </div>
    </Page>
  )
}
