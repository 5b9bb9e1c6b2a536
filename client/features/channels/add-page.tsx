/** Adds a channel: vendor, key, models as the upstream lists them, and the groups that may use it. */

import { useNavigate } from '@solidjs/router'
import { createMemo, createSignal, For, onMount, Show } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { callApi } from '#client/api/http.ts'
import { errorAt } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { type VendorCard, vendorCard, vendorCards, vendorKinds } from '#client/console/vendors.ts'
import { createWrite } from '#client/console/write.ts'
import { pairsOf } from '#client/features/channels/editing/pairs.ts'
import { Button } from '#client/ui/button.tsx'
import { SearchField } from '#client/ui/console/filters.tsx'
import { AreaField, CheckList, TextField } from '#client/ui/console/form.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow } from '#shared/console/channel'
import type { GroupRow } from '#shared/console/group'
import type { UpstreamModels } from '#shared/console/inspection/probe'
import { t } from './messages.ts'
import { modelsOf } from './model-lines.ts'

/** `/admin/channels/new` */
export function AddChannelPage() {
  const url = useUrlState()
  const card = () => vendorCard(url.get('vendor'))
  return (
    <Page title={t('addTitle')} above={[{ label: t('title'), href: '/admin/channels' }]}>
      <Show when={card()} keyed fallback={<Gallery />}>
        {(chosen) => <AddForm card={chosen} onChange={() => url.set({ vendor: '' })} />}
      </Show>
    </Page>
  )
}

function Gallery() {
  const url = useUrlState()
  const [find, setFind] = createSignal('')
  const found = createMemo(() => vendorCards.filter((card) => `${card.title} ${card.id}`.toLowerCase().includes(find().toLowerCase())))
  return (
    <div class="max-w-[960px]">
      <div class="filters">
        <h2 class="mr-auto text-[15px]/[22px]">{t('chooseVendor')}</h2>
        <SearchField label={t('vendorSearch')} value={find()} onSearch={setFind} />
      </div>
      <For each={vendorKinds.filter((kind) => found().some((card) => card.kind === kind))}>
        {(kind) => (
          <section class="mb-4" aria-label={t(`vendors_${kind}`)}>
            <h3 class="mb-2 text-[12px]/[16px] font-medium text-ink-3">{t(`vendors_${kind}`)}</h3>
            <ul class="gallery">
              <For each={found().filter((card) => card.kind === kind)}>
                {(card) => (
                  <li>
                    <button type="button" class="gallery-card" onClick={() => url.set({ vendor: card.id })}>
                      <span class="monogram" aria-hidden="true">
                        {card.monogram}
                      </span>
                      <span class="min-w-0 wrap-anywhere">{card.title}</span>
                    </button>
                  </li>
                )}
              </For>
            </ul>
          </section>
        )}
      </For>
      <Show when={found().length === 0}>
        <p class="text-[13px] text-ink-2">{t('vendorsNone')}</p>
      </Show>
    </div>
  )
}

function AddForm(props: { card: VendorCard; onChange(): void }) {
  const navigate = useNavigate()
  const [name, setName] = createSignal(props.card.id as string)
  const [baseUrl, setBaseUrl] = createSignal('')
  const [keys, setKeys] = createSignal('')
  const [options, setOptions] = createSignal('')
  const [lines, setLines] = createSignal('')
  const [chosen, setChosen] = createSignal<string[]>([])
  const [found, setFound] = createSignal<string[] | undefined>()
  const [find, setFind] = createSignal('')
  const [groups, setGroups] = createSignal<string[]>(['default'])
  const known = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const fetching = createWrite()
  const write = createWrite()
  let aborter = new AbortController()
  const account = () => {
    const given = keys()
      .split('\n')
      .map((key) => key.trim())
      .filter(Boolean)
    const pairs = pairsOf(options(), '=')
    return {
      vendor: props.card.id,
      ...(baseUrl().trim() !== '' && { baseUrl: baseUrl().trim() }),
      ...(given.length > 0 && { keys: given }),
      ...(Object.keys(pairs).length > 0 && { options: pairs }),
    }
  }
  const fetchModels = () =>
    fetching.run(async () => {
      aborter = new AbortController()
      const { data } = await callApi<UpstreamModels>('POST', '/api/channels/models', account(), aborter.signal)
      setFound(data.map(({ id }) => id))
      // A short list is selected in full; from a long one the user has to choose.
      setChosen(data.length <= 30 ? data.map(({ id }) => id) : [])
    })
  const shown = createMemo(() => (found() ?? []).filter((id) => id.toLowerCase().includes(find().toLowerCase())))
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    await write.run(async () => {
      const models = [...chosen(), ...modelsOf(lines())]
      const row = await callApi<ChannelRow>('POST', '/api/channels', { ...account(), name: name().trim(), models, groups: groups() })
      showToast(t('created'))
      navigate(`/admin/channels/${encodeURIComponent(row.id)}?tab=models`)
    })
  }
  let form: HTMLFormElement | undefined
  // The chosen card, which had the focus, is gone.
  onMount(() => form?.querySelector('input')?.focus())
  return (
    <form class="form" ref={form} onSubmit={(event) => void save(event)}>
      <div class="flex items-center gap-3">
        <span class="monogram" aria-hidden="true">
          {props.card.monogram}
        </span>
        <b class="font-medium">{props.card.title}</b>
        <Button look="ghost" size="sm" onClick={() => props.onChange()}>
          {t('change')}
        </Button>
      </div>
      <TextField label={t('name')} value={name()} required maxlength={120} error={errorAt(write.error(), 'name')} onChange={setName} />
      <TextField
        label={t('baseUrl')}
        hint={props.card.needsAddress ? t('baseUrlNeeded') : t('baseUrlHint', { usual: t('usualAddress') })}
        value={baseUrl()}
        mono
        type="url"
        required={props.card.needsAddress}
        error={errorAt(write.error() ?? fetching.error(), 'baseUrl')}
        onChange={setBaseUrl}
      />
      <AreaField
        label={t('keysLabel')}
        hint={t('keysHint')}
        mono
        rows={2}
        value={keys()}
        error={errorAt(write.error() ?? fetching.error(), 'keys')}
        onChange={setKeys}
      />
      <Show when={['azure-openai', 'vertex', 'bedrock'].includes(props.card.id)}>
        <AreaField
          label={t('options')}
          hint={t('optionsHint')}
          mono
          rows={2}
          value={options()}
          error={errorAt(write.error() ?? fetching.error(), 'options')}
          onChange={setOptions}
        />
      </Show>
      <div class="flex flex-wrap items-center gap-2">
        <Button icon="download" busy={fetching.busy()} onClick={() => void fetchModels()}>
          {fetching.busy() ? t('fetching') : t('fetch')}
        </Button>
        <Show when={fetching.busy()}>
          <Button look="ghost" onClick={() => aborter.abort(noLongerNeeded)}>
            {t('stop')}
          </Button>
        </Show>
        <Show when={found()}>{(list) => <span class="hint">{t('fetched', { count: list().length })}</span>}</Show>
      </div>
      <Show when={fetching.error()?.code !== 'unexpected'}>
        <Refusal of={fetching} />
      </Show>
      <Show when={(found()?.length ?? 0) > 0}>
        <div class="grid gap-2">
          <div class="filters mb-0!">
            <SearchField label={t('find')} value={find()} onSearch={setFind} />
            <Button size="sm" onClick={() => setChosen([...new Set([...chosen(), ...shown()])])}>
              {t('all')}
            </Button>
            <Button size="sm" onClick={() => setChosen([])}>
              {t('none')}
            </Button>
          </div>
          <CheckList
            label={t('modelsLabel')}
            options={shown().map((id) => ({ value: id, label: id }))}
            chosen={chosen()}
            onChange={setChosen}
          />
        </div>
      </Show>
      <AreaField
        label={found() ? `${t('models')} +` : t('modelsLabel')}
        hint={t('modelsHint')}
        mono
        rows={3}
        value={lines()}
        error={errorAt(write.error(), 'models')}
        onChange={setLines}
      />
      <CheckList
        label={t('groupsLabel')}
        options={(known.value() ?? []).map((group) => ({ value: group.name, label: group.name, note: group.description }))}
        chosen={groups()}
        onChange={setGroups}
      />
      <Refusal of={write} />
      <div>
        <Button type="submit" look="primary" size="lg" busy={write.busy()}>
          {t('create')}
        </Button>
      </div>
    </form>
  )
}
