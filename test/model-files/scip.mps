* SCIP STATISTICS
*   Problem name     : rnd
*   Variables        : 6 (1 binary, 2 integer, 0 implicit integer, 3 continuous)
*   Constraints      : 4
NAME          rnd
OBJSENSE
  MAX
ROWS
 N  Obj 
 L  r0 
 L  r1 
 E  r2 
 G  r3 
COLUMNS
    INTSTART  'MARKER'                            'INTORG'                           
    x[0,a]    Obj                              3  r1                               2 
    x[0,a]    r0                               1 
    x[2,a]    Obj                             20  r1                              15 
    x[5,a]    Obj                             -1  r0                               1 
    x[5,a]    r3                               1 
    INTEND    'MARKER'                            'INTEND'                           
    x[1,a]    r0                             2.5  Obj                              5 
    x[1,a]    r2                               1  r1                               1 
    x[3,a]    Obj                          -1.25  r2                              -1 
    x[4,a]    Obj                              2  r3                              -3 
RHS
    RHS       r0                              90  r1                              60 
    RHS       r2                             3.5  r3                               4 
    RHS       Obj                             -7 
RANGES
    RANGE     r0                              78 
BOUNDS
 BV Bound     x[2,a]                             
 PL Bound     x[0,a]                             
 LO Bound     x[5,a]                           2 
 UP Bound     x[5,a]                           9 
 FR Bound     x[3,a]                             
 LO Bound     x[4,a]                          -8 
 UP Bound     x[4,a]                          -2 
 UP Bound     x[1,a]                          40 
ENDATA