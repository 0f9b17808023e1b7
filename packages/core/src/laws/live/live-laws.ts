import type { LiveLaw } from "../../contract";
import { answersAsExpected, leavesAnswersUnchanged, leavesRequestsUnchanged } from "./answer-laws";
import { refusesMissingCredential, refusesWrongCredential } from "./credential-laws";
import { enforcesRateLimit } from "./rate-limit-law";
import { redirectsHttp } from "./redirect-law";
import { refusesResumptionById, refusesResumptionByTicket, resumesSessions } from "./resumption-laws";
import {
  agreesAskedCipher,
  refusesOtherCiphers,
  refusesOtherVersion,
  showsAskedKey,
  speaksAskedVersion,
  usesAskedCurve,
} from "./tls-laws";
import { refusesBlacklistedToken, refusesExpiredToken } from "./token-laws";
import { asksUpstreamEveryTime, keepsUpstreamConnections, reachesEveryUpstream, splitsEvenly } from "./upstream-laws";

/** What every gateway must do while it runs. In the order of their probes: what counts comes after what does not, the limit last. */
export const liveLaws: readonly LiveLaw[] = [
  answersAsExpected,
  leavesAnswersUnchanged,
  leavesRequestsUnchanged,
  redirectsHttp,
  refusesWrongCredential,
  refusesMissingCredential,
  refusesExpiredToken,
  refusesBlacklistedToken,
  speaksAskedVersion,
  refusesOtherVersion,
  agreesAskedCipher,
  refusesOtherCiphers,
  usesAskedCurve,
  showsAskedKey,
  refusesResumptionById,
  refusesResumptionByTicket,
  resumesSessions,
  reachesEveryUpstream,
  splitsEvenly,
  keepsUpstreamConnections,
  asksUpstreamEveryTime,
  enforcesRateLimit,
];
