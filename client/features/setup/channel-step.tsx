import { For, Show } from 'solid-js'
import { errorAt, explain } from '#client/console/explain.ts'
import { type VendorCard, vendorCards } from '#client/console/vendors.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField, CheckList, TextField, UnitField } from '#client/ui/console/form.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { Icon } from '#client/ui/icon.tsx'
import type { Answering } from './answering.ts'
import { type ChannelDraft, offeredWhole } from './channel-draft.ts'
import { t } from './messages.ts'
import { StepFrame } from './step-frame.tsx'
import { VendorGallery } from './vendor-gallery.tsx'

/** The second step: vendor, key, models as the vendor lists them, and a test of one. */
export function ChannelStep(props: { draft: ChannelDraft; onDone(answering: Answering): void; onDemo(): void }) {
  const { card, takesAddress, address, setAddress, key, setKey, found, setFound, chosen, setChosen, typed, setTyped } = props.draft
  const { models, prices, setPrices, fetching, saving, tested, failed } = props.draft
  const cards = vendorCards.filter(({ id }) => id !== 'demo')
  const choose = (next: VendorCard) => {
    props.draft.choose(next)
    queueMicrotask(() => document.querySelector<HTMLInputElement>('.setup-account input')?.focus())
  }
  const fetchModels = (event: SubmitEvent) => {
    event.preventDefault()
    void props.draft.fetchModels()
  }
  const save = async () => {
    await props.draft.save()
    const answer = tested()
    if (answer?.ok) props.onDone({ model: answer.model, models: models().length, ms: answer.ms })
  }

  return (
    <StepFrame
      title={t('channelTitle')}
      intro={t('channelIntro')}
      step={2}
      buttons={
        <>
          <Show when={found()}>
            <Button
              look="primary"
              size="lg"
              busy={saving.busy()}
              aria-disabled={models().length === 0 ? 'true' : undefined}
              onClick={() => models().length > 0 && void save()}
            >
              {saving.busy() ? t('asking') : t('save')}
            </Button>
          </Show>
          <Show when={tested()?.ok === false}>
            <Button size="lg" onClick={() => props.onDone({ model: models()[0] ?? '', models: models().length })}>
              {t('anyway')}
            </Button>
          </Show>
        </>
      }
    >
      <div class="grid grid-cols-1 gap-5">
        <VendorGallery cards={cards} chosen={card()?.id} onChoose={choose} />
        <Show when={card()} keyed>
          {(vendor) => (
            <form class="setup-account grid gap-4" onSubmit={fetchModels}>
              <Show when={takesAddress(vendor)}>
                <TextField
                  label={t('address')}
                  hint={vendor.needsAddress ? t('addressHint') : t('addressUsual')}
                  mono
                  type="url"
                  required={vendor.needsAddress}
                  value={address()}
                  error={errorAt(failed(), 'baseUrl')}
                  onChange={setAddress}
                />
              </Show>
              <TextField
                label={t('apiKey')}
                hint={vendor.keyless ? t('apiKeyless') : t('apiKeyHint')}
                mono
                type="password"
                required={!vendor.keyless}
                value={key()}
                error={errorAt(failed(), 'keys')}
                onChange={setKey}
              />
              <div>
                <Button type="submit" look={found() ? 'plain' : 'primary'} icon="download" busy={fetching.busy()}>
                  {fetching.busy() ? t('fetching') : found() ? t('fetchAgain') : t('fetch')}
                </Button>
              </div>
            </form>
          )}
        </Show>
        <Show when={fetching.error()}>
          {(error) => (
            <div class="notice bad grid justify-items-start gap-2">
              <span>{explain(error())}</span>
              <Show when={found() === undefined}>
                <Button size="sm" onClick={() => setFound([])}>
                  {t('typeModels')}
                </Button>
              </Show>
            </div>
          )}
        </Show>
        <Show when={found()} keyed>
          {(list) => (
            <>
              <Show when={list.length > 0}>
                <p class="notice ok flex items-center gap-2">
                  <Icon name="check" />
                  {t('found', { count: list.length })}
                </p>
                <CheckList
                  label={t('models')}
                  options={list.map((id) => ({ value: id, label: id }))}
                  chosen={chosen()}
                  onChange={setChosen}
                />
              </Show>
              <Show when={list.length === 0 || list.length > offeredWhole}>
                <AreaField label={t('moreModels')} hint={t('moreModelsHint')} mono rows={2} value={typed()} onChange={setTyped} />
              </Show>
              <fieldset class="grid gap-2">
                <legend class="mb-1.5 text-[13px]/[18px] font-medium">{t('price')}</legend>
                <div class="grid max-w-[480px] grid-cols-2 gap-3">
                  <For each={['input', 'output'] as const}>
                    {(name) => (
                      <UnitField
                        label={t(`price_${name}`)}
                        unit="USD"
                        value={prices()[name]}
                        error={errorAt(saving.error(), name)}
                        onChange={(value) => setPrices({ ...prices(), [name]: value.trim() })}
                      />
                    )}
                  </For>
                </div>
                <span class="hint">{t('priceHint')}</span>
              </fieldset>
            </>
          )}
        </Show>
        <Refusal of={saving} />
        <Show when={tested()?.ok === false ? tested() : undefined}>
          {(answer) => <p class="notice bad">{t('testFailed', { model: answer().model, why: answer().error?.message ?? '' })}</p>}
        </Show>
        <button type="button" class="gallery-card border-dashed!" onClick={() => props.onDemo()}>
          <span class="monogram" aria-hidden="true">
            de
          </span>
          <span class="grid min-w-0 flex-1 text-left">
            <span>{t('noKey')}</span>
            <span class="hint">{t('noKeyHint')}</span>
          </span>
          <Icon name="right" />
        </button>
      </div>
    </StepFrame>
  )
}
