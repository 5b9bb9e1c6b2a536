/** Route simulation: which channels would be tried for a request, in which order, and why not the others. The request is in the URL. */
import { For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { ComboField } from '#client/ui/console/combo-field.tsx'
import { SelectField, SwitchField } from '#client/ui/console/form.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import type { ChannelRow } from '#shared/console/channel'
import type { GroupRow } from '#shared/console/group'
import type { RouteAnswer } from '#shared/console/inspection/route'
import type { KeyRow } from '#shared/console/key'
import { dialects } from '#shared/ids'
import { t } from './messages.ts'
import { namesOf } from './model-lines.ts'
import { type Asked, routeQuestion } from './route-question.ts'
import { SimulatedRoute } from './simulated-route.tsx'

const extras = ['stream', 'tools', 'image'] as const

/** `channel`: on a channel's page, that channel, whose models are suggested. */
export function Simulation(props: { channel?: ChannelRow }) {
  const url = useUrlState()
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const keys = createLoad(
    () => '/api/keys?all=true',
    async (path, signal) => [...new Set((await readAll<KeyRow>(path, signal, 1_000)).map(({ name }) => name))].sort(),
  )
  const models = createLoad(
    () => props.channel ?? '/api/channels',
    async (from, signal) => {
      const channels = typeof from === 'string' ? await readAll<ChannelRow>(from, signal) : [from]
      return [...new Set(channels.flatMap((channel) => channel.models.map((model) => namesOf(model).name)))].sort()
    },
  )
  /** On a channel's page its first model, until another one is chosen. */
  const model = () => url.get('model') || props.channel?.models.map((one) => namesOf(one).name)[0] || ''
  const dialect = () => dialects.find((one) => one === url.get('dialect')) ?? 'chat'
  const question = () => {
    if (model() === '') return undefined
    const has = (extra: (typeof extras)[number]) => url.get(extra) === 'yes'
    const asked: Asked = {
      ...{ model: model(), dialect: dialect(), key: url.get('key'), group: url.get('group') },
      ...{ stream: has('stream'), tools: has('tools'), image: has('image') },
    }
    return JSON.stringify(routeQuestion(asked))
  }
  const route = createLoad(question, (asked, signal) => callApi<RouteAnswer>('POST', '/api/route', JSON.parse(asked), signal))
  const set = (name: string) => (value: string) => url.set({ [name]: value }, { replace: true })
  return (
    <>
      <p class="mb-4 max-w-[64ch] text-ink-2">{t('simIntro')}</p>
      <div class="cols aside">
        {/* The form comes first in the document, and is on the right if there is room. */}
        <div class="min-[961px]:order-1">
          <Card title={t('simAsked')}>
            <div class="form">
              <ComboField label={t('model')} value={model()} options={models.value() ?? []} mono onChange={set('model')} />
              <ComboField
                label={t('simKey')}
                hint={t('simKeyHint')}
                value={url.get('key')}
                options={keys.value() ?? []}
                onChange={set('key')}
              />
              <SelectField
                label={t('group')}
                value={url.get('group')}
                options={[{ value: '', label: t('ownGroup') }, ...(groups.value() ?? []).map(({ name }) => ({ value: name, label: name }))]}
                onChange={set('group')}
              />
              <SelectField
                label={t('simDialect')}
                value={dialect()}
                options={dialects.map((value) => ({ value, label: value }))}
                onChange={(value) => set('dialect')(value === 'chat' ? '' : value)}
              />
              <For each={extras}>
                {(extra) => (
                  <SwitchField label={t(`sim_${extra}`)} on={url.get(extra) === 'yes'} onChange={(on) => set(extra)(on ? 'yes' : '')} />
                )}
              </For>
            </div>
          </Card>
        </div>
        <div class="stack">
          <Show when={route.error()}>{(error) => <Failure text={explain(error())} detail={detailOf(error())} />}</Show>
          <Show when={question() === undefined}>
            <p class="text-[13px] text-ink-2">{t('simChoose')}</p>
          </Show>
          <Show when={question() !== undefined && !route.error() && route.value()}>
            {(answer) => <SimulatedRoute answer={answer()} channel={props.channel?.name} />}
          </Show>
        </div>
      </div>
    </>
  )
}
