import type { DateOrNull } from "./chain-types.js";

/** Sales with the same step. Days are whole numbers, or null when too few sales ended the step. */
export interface ComparableSales {
  readonly stratum: string;
  readonly sales: number;
  readonly halfDays: number | null;
  readonly nineInTenDays: number | null;
}

/** A step of one sale that is not done. */
export interface OpenStep {
  readonly listingId: number;
  readonly milestone: string;
  readonly since: DateOrNull;
  readonly days: number | null;
  readonly expected: DateOrNull;
  readonly overdueDays: number | null;
  readonly comparable: ComparableSales | null;
}

/** The sale that is ready last. `lastPercent` says how often it is the last, in 100 cases. */
export interface Holder {
  readonly step: OpenStep;
  readonly lastPercent: number;
  readonly readyDays: number | null;
}

/** Which sale holds a chain up. */
export interface Bottleneck {
  readonly ruleVersion: number;
  readonly chainLinkId: string;
  readonly date: string;
  /** `held`, or a word of docs/agents.md that says why nobody holds the chain up. */
  readonly outcome: string;
  readonly explanation: string;
  readonly holder: Holder | null;
  readonly runnerUp: Holder | null;
  readonly marginDays: number | null;
  readonly isShared: boolean;
  readonly proposedExchange: DateOrNull;
  readonly topChecked: boolean;
  readonly bottomChecked: boolean;
}

/** The first and the last day. Null means beyond a year. */
export interface Interval {
  readonly start: DateOrNull;
  readonly end: DateOrNull;
}

/** The days on which 50 and 80 in 100 such chains exchange. */
export interface ExchangeForecast {
  readonly median: DateOrNull;
  readonly interval50: Interval;
  readonly interval80: Interval;
}

/** Why there is no forecast. */
export interface Silence {
  /** For example `few_forecasts`. */
  readonly code: string;
  readonly detail: string;
}

/** How many of the sales that came as far as this one fell through. */
export interface FallThroughRisk {
  readonly sales: number;
  readonly fellThrough: number;
}

/** How earlier forecasts did. `covered80Percent` should be about 80. */
export interface PastForecasts {
  readonly ended: number;
  readonly backdated: number;
  readonly covered80Percent: number;
  readonly medianErrorDays: number;
}

/** When a chain is likely to exchange. `silence` says why `exchange` is null. */
export interface Forecast {
  readonly ruleVersion: number;
  readonly chainLinkId: string;
  readonly date: string;
  readonly exchange: ExchangeForecast | null;
  readonly silence: Silence | null;
  readonly steps: readonly OpenStep[];
  readonly pastForecasts: PastForecasts;
  readonly fallThrough: FallThroughRisk | null;
}
